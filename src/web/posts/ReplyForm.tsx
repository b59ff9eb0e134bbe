import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { draftTargets } from '#shared/posts/drafts-targets.ts';
import { limits } from '#shared/core/limits.ts';
import { translateError } from '#web/core/errors.ts';
import { sendOrQueue } from '#web/core/offline-queue-sender.ts';
import { isHeld, showHeldPost } from './held-posts.ts';
import { useQuestionPage } from './questions/question-page-context.ts';
import { useReplying } from './questions/replying-to.tsx';
import { PostForm } from './PostForm.tsx';
import { postReply } from './post-api.ts';
import { anchorOf } from './post-ref.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { addReply } from './questions/question-page-data.ts';
import { getHighestPostId, replyAction, queuedPostAnchor } from './offline/queued-posts.ts';
import classes from './PostForm.module.css';

/**
 * @param to the post to reply to.
 * @param answerId the answer that the thread belongs to; null for comments on the question.
 */
export function ReplyForm({ to, answerId }: { to: PostRef; answerId: number | null }) {
  const { questionId, member, cache, reveal } = useQuestionPage();
  const { setReplyingTo, saveReplyingTo } = useReplying();
  const client = useQueryClient();
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
        tooLongMessage={translateError('reply-too-long', { max: limits.reply })}
        placeholder={
          to.kind === 'question' ? t`Ask for more information or suggest an improvement` : t`Write a reply`
        }
        submitLabel={t`Post Reply`}
        failureMessage={t`Failed to post reply`}
        refusedMessage={t`Couldn't post reply`}
        onTyped={(content) => saveReplyingTo(content.trim() === '' ? null : to)}
        onCancel={cancel}
        submit={async (content, key) => {
          const target = { questionId, answerId, parentReplyId };
          const after = getHighestPostId(cache.read(), 'reply');
          const reply = await sendOrQueue(
            member.id,
            replyAction({ ...target, content, key, after }),
            (sending) => postReply(target, { content, key }, sending),
          );
          if (reply !== null && isHeld(reply)) {
            setReplyingTo(null);
            return showHeldPost(client);
          }
          if (reply !== null) await cache.update((page) => addReply(page, reply));
          setReplyingTo(null);
          return reveal(reply === null ? queuedPostAnchor(key) : { kind: 'reply', id: reply.id });
        }}
      />
    </div>
  );
}

/** After closing, the focus returns to the button that opened the form. */
function focusOpener(to: PostRef): void {
  const anchor = anchorOf(to);
  const opener =
    document.querySelector<HTMLElement>(`#${anchor} [data-shortcut-key="r"]`) ??
    document.querySelector<HTMLElement>(`[data-shortcut-key="r"][data-shortcut-post="${anchor}"]`);
  opener?.focus();
}
