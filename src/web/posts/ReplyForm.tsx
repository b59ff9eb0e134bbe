import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { draftTargets } from '#shared/posts/drafts-targets.ts';
import { limits } from '#shared/core/limits.ts';
import { translateError } from '#web/core/errors.ts';
import { sendOrQueue } from '#web/core/send-or-queue.ts';
import { isHeld, showHeldPost } from './held-posts.ts';
import { useQuestionPage } from './questions/question-page-context.ts';
import { replyPlaceholder, useCloseReply, useReplying } from './questions/replying-to.tsx';
import { PostForm } from './PostForm.tsx';
import type { TypedText } from './QuietForms.tsx';
import { addReply, postReply } from './new-posts.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { getHighestPostId, replyAction, queuedPostAnchor } from './offline/queued-posts.ts';
import classes from './PostForm.module.css';

/**
 * @param to the post to reply to.
 * @param isDeleted whether this post was deleted while the form was open
 * @param answerId the answer that the thread belongs to; null for comments on the question.
 * @param takeTyped returns once what was typed before this form was rendered, and whether the field had the focus.
 */
export function ReplyForm({
  to,
  isDeleted = false,
  answerId,
  takeTyped,
}: {
  to: PostRef;
  isDeleted?: boolean;
  answerId: number | null;
  takeTyped: () => TypedText | null;
}) {
  const { questionId, member, cache, reveal } = useQuestionPage();
  const { closeReplyTo, saveReplyingTo } = useReplying();
  const client = useQueryClient();
  const parentReplyId = to.kind === 'reply' ? to.id : null;
  const close = useCloseReply(to);
  return (
    <div className={classes.replyForm}>
      <PostForm
        label={t`Your reply`}
        hideLabel
        takeTyped={takeTyped}
        deletedPost={isDeleted ? to.kind : null}
        draftTarget={draftTargets.reply(to)}
        limit={limits.reply}
        tooLongMessage={translateError('reply-too-long', { max: limits.reply })}
        placeholder={replyPlaceholder(to)}
        submitLabel={t`Post Reply`}
        failureMessage={t`Failed to post reply`}
        refusedMessage={t`Couldn't post reply`}
        onTyped={(content) => saveReplyingTo(content.trim() === '' ? null : to)}
        onCancel={close}
        submit={async (content, key) => {
          const target = { questionId, answerId, parentReplyId };
          const after = getHighestPostId(cache.read(), 'reply');
          const reply = await sendOrQueue(
            member.id,
            replyAction({ ...target, content, key, after }),
            (sending) => postReply(target, { content, key }, sending),
          );
          if (reply !== null && isHeld(reply)) {
            showHeldPost(client);
            return () => closeReplyTo(to);
          }
          if (reply !== null) await cache.update((page) => addReply(page, reply));
          return () => {
            closeReplyTo(to);
            reveal(reply === null ? queuedPostAnchor(key) : { kind: 'reply', id: reply.id });
          };
        }}
      />
    </div>
  );
}
