import { t } from '@lingui/core/macro';
import { memo, use, useState } from 'react';
import { limits } from '#shared/core/limits.ts';
import { draftTargets } from '#shared/posts/drafts-targets.ts';
import type { Reply } from '#shared/posts/replies.ts';
import { PostMenu } from '#web/moderation/PostMenu.tsx';
import { hasStatus } from '#web/core/errors.ts';
import { toastError } from '#web/core/toast.ts';
import { CopyLinkButton } from '#web/posts/ShareButton.tsx';
import { ConfirmDialog } from '#web/ui/Dialog.tsx';
import { AuthorPostActions, PostActions } from '#web/posts/PostActions.tsx';
import { useQuestionPage } from '#web/posts/questions/question-page-context.ts';
import { PostFrame } from '#web/posts/PostFrame.tsx';
import { PostMeta } from '#web/posts/PostMeta.tsx';
import { ReplyingContext, WhileReplyingTo } from '#web/posts/questions/replying-to.tsx';
import type { PostRef } from '#shared/core/fields.ts';
import { patchPost, removeReply } from '#web/posts/questions/question-page-data.ts';
import { anchorOf, isSamePost } from '#web/posts/post-ref.ts';
import { useDeletePost } from '#web/posts/useDeletePost.ts';
import { Markdown } from '#web/ui/markdown/Markdown.tsx';
import { VoteButtons } from '#web/engagement/VoteButtons.tsx';
import { EditPostForm, ReplyForm } from '#web/posts/post-forms-on-demand.tsx';
import { ReplyButton } from '#web/posts/ReplyButton.tsx';
import classes from './ReplyThread.module.css';

/** One reply. Of a deleted one, only open forms remain, or a line above the replies to it. */
export const ReplyArticle = memo(function ReplyArticle({ reply }: { reply: Reply }) {
  const { questionId, member, cache, reveal, draftToOpen, deletedPosts } = useQuestionPage();
  const [editing, setEditing] = useState(draftToOpen === draftTargets.edit({ kind: 'reply', id: reply.id }));
  const post: PostRef = { kind: 'reply', id: reply.id };
  const isOwn = reply.authorId === member.id;
  const deletion = useDeletePost(post, {
    onDeleted: () => cache.update((page) => removeReply(page, reply.id)),
    onFailed: async (error) => {
      toastError(t`Failed to delete reply: ${error.message}`);
      if (hasStatus(error, 404)) await cache.update((page) => removeReply(page, reply.id));
    },
  });

  const leaveEditing = () => {
    setEditing(false);
    reveal(post);
  };
  if (reply.deleted && !editing && !isSamePost(use(ReplyingContext)?.replyingTo ?? null, post))
    return deletedPosts.has(anchorOf(post)) ? null : (
      <p id={anchorOf(post)} className={classes.deleted}>
        {t`Reply deleted`}
      </p>
    );
  return (
    <PostFrame post={post} name={t`Reply by ${reply.authorName}`}>
      {editing ? (
        <EditPostForm
          kind="reply"
          post={reply}
          isDeleted={reply.deleted}
          suggesting={!isOwn}
          onSaved={async (saved) => {
            if (saved === null) void cache.refresh();
            else await cache.update((page) => patchPost(page, post, saved));
            leaveEditing();
          }}
          onCancel={leaveEditing}
        />
      ) : reply.deleted ? null : (
        <>
          <Markdown text={reply.content} imported={reply.source !== null} className={classes.text} />
          <div className={classes.foot}>
            <PostMeta post={post} content={reply} />
            <PostActions quiet>
              <VoteButtons post={post} questionId={questionId} votes={reply} />
              {reply.level < limits.replyLevel && <ReplyButton to={post} />}
              <CopyLinkButton post={post} />
              {isOwn && <AuthorPostActions onEdit={() => setEditing(true)} onDelete={deletion.ask} />}
              <PostMenu post={post} own={isOwn} onSuggest={() => setEditing(true)} />
            </PostActions>
          </div>
        </>
      )}
      <WhileReplyingTo post={post}>
        <ReplyForm to={post} isDeleted={reply.deleted} answerId={reply.answerId} />
      </WhileReplyingTo>
      <ConfirmDialog {...deletion.dialog} title={t`Delete this reply?`} text={t`This cannot be undone.`} />
    </PostFrame>
  );
});
