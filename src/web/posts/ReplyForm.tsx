import { t } from '@lingui/core/macro';
import { draftTargets } from '#shared/posts/drafts-targets.ts';
import { limits } from '#shared/core/limits.ts';
import type { Reply } from '#shared/posts/replies.ts';
import { translateServerMessage } from '#web/core/errors.ts';
import { sendOrQueue } from '#web/core/offline-queue-sender.ts';
import { useQuestionPage } from './questions/question-page-context.ts';
import { PostForm } from './PostForm.tsx';
import { editReply, postReply } from './post-api.ts';
import { anchorOf, type PostRef } from './post-ref.ts';
import { addReply } from './questions/question-page-data.ts';
import { highestId, replyAction, queuedPostAnchor } from './offline/queued-posts.ts';
import classes from './ReplyForm.module.css';

const tooLongMessage = () => translateServerMessage('A reply can have up to 1,000 characters');

/** @param to what is replied to. @param answerId the answer it stands below; null below the question itself. */
export function ReplyForm({ to, answerId }: { to: PostRef; answerId: number | null }) {
  const { questionId, member, cache, setReplyingTo, saveReplyingTo, reveal } = useQuestionPage();
  const parentReplyId = to.kind === 'reply' ? to.id : null;
  const cancel = () => {
    setReplyingTo(null);
    focusOpener(to);
  };
  return (
    <div className={classes.replyForm}>
      <PostForm
        label={t`Your reply`}
        hideLabel
        focused
        draftTarget={draftTargets.reply(to)}
        limit={limits.reply}
        tooLongMessage={tooLongMessage()}
        placeholder={to.kind === 'question' ? t`Ask for details, or add something small` : t`Write a reply`}
        submitLabel={t`Post Reply`}
        failureMessage={t`Failed to post reply`}
        refusedMessage={t`Your reply was not posted`}
        onTyped={(content) => saveReplyingTo(content.trim() === '' ? null : to)}
        onCancel={cancel}
        submit={async (content, key) => {
          const place = { questionId, answerId, parentReplyId };
          const after = highestId(cache.read(), 'reply');
          const reply = await sendOrQueue(
            member.id,
            replyAction({ ...place, content, key, after }),
            (sending) => postReply(place, { content, key }, sending),
          );
          if (reply !== null) await cache.update((page) => addReply(page, reply));
          setReplyingTo(null);
          reveal(reply === null ? queuedPostAnchor(key) : { kind: 'reply', id: reply.id });
        }}
      />
    </div>
  );
}

export function EditReplyForm(props: {
  reply: Reply;
  onSaved: (reply: Pick<Reply, 'content' | 'editedAt'>) => Promise<void>;
  onCancel: () => void;
}) {
  const { reply } = props;
  return (
    <div className={classes.replyForm}>
      <PostForm
        label={t`Edit reply`}
        hideLabel
        focused
        draftTarget={draftTargets.edit({ kind: 'reply', id: reply.id })}
        original={reply.content}
        subject={{ post: { kind: 'reply', id: reply.id }, editedAt: reply.editedAt }}
        limit={limits.reply}
        tooLongMessage={tooLongMessage()}
        submitLabel={t`Save`}
        failureMessage={t`Failed to save reply`}
        onCancel={props.onCancel}
        submit={async (content, key, basedOn) => {
          const { editedAt, ...saved } = await editReply(reply.id, { content, basedOn }, key);
          await props.onSaved({ content: saved.content, editedAt });
        }}
      />
    </div>
  );
}

/** On close, the focus goes back to the button that opened the form. */
function focusOpener(to: PostRef): void {
  const anchor = anchorOf(to);
  const opener =
    document.querySelector<HTMLElement>(`#${anchor} [data-key="r"]`) ??
    document.querySelector<HTMLElement>(`[data-key="r"][data-for="${anchor}"]`);
  opener?.focus();
}
