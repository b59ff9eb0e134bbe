import { t } from '@lingui/core/macro';
import { IconCheck } from '@tabler/icons-react';
import { memo, useState } from 'react';
import { draftTargets } from '#shared/posts/drafts-targets.ts';
import type { Answer } from '#shared/posts/answers.ts';
import { BookmarkButton } from '#web/engagement/BookmarkButton.tsx';
import { PostMenu } from '#web/moderation/PostMenu.tsx';
import { hasStatus } from '#web/core/errors.ts';
import { toast, toastError } from '#web/core/toast.ts';
import { CopyLinkButton } from '#web/posts/ShareButton.tsx';
import { ConfirmDialog } from '#web/ui/Dialog.tsx';
import { AuthorPostActions, PostActions } from '#web/posts/PostActions.tsx';
import { useQuestionPage } from '#web/posts/questions/question-page-context.ts';
import { PostFrame } from '#web/posts/PostFrame.tsx';
import { PostMeta } from '#web/posts/PostMeta.tsx';
import { WhileReplyingTo } from '#web/posts/questions/replying-to.tsx';
import type { PostRef } from '#shared/core/fields.ts';
import { patchPost, removeAnswer } from '#web/posts/questions/question-page-data.ts';
import { anchorOf } from '#web/posts/post-ref.ts';
import { useDeletePost } from '#web/posts/useDeletePost.ts';
import { EditPostForm, ReplyForm } from '#web/posts/post-forms-on-demand.tsx';
import { ReplyButton } from '#web/posts/ReplyButton.tsx';
import { Markdown } from '#web/ui/markdown/Markdown.tsx';
import { VoteButtons } from '#web/engagement/VoteButtons.tsx';
import { AcceptAnswerButton } from '#web/posts/AcceptAnswerButton.tsx';
import classes from './AnswerArticle.module.css';

/** One answer without its replies. They follow it as articles of their own. Of a deleted one, only open forms remain. */
export const AnswerArticle = memo(function AnswerArticle({ answer }: { answer: Answer }) {
  const { questionId, member, cache, reveal, draftToOpen, questionAuthorId, acceptedAnswerId, deletedPosts } =
    useQuestionPage();
  const [editing, setEditing] = useState(
    draftToOpen === draftTargets.edit({ kind: 'answer', id: answer.id }),
  );
  const post: PostRef = { kind: 'answer', id: answer.id };
  const isDeleted = deletedPosts.has(anchorOf(post));
  const isOwn = answer.authorId === member.id;
  const isQuestionAuthor = questionAuthorId === member.id;
  const isAccepted = acceptedAnswerId === answer.id;
  const removeFromPage = async () => {
    await cache.update((page) => removeAnswer(page, answer.id));
    cache.refreshLists();
  };
  const deletion = useDeletePost(post, {
    onDeleted: async () => {
      await removeFromPage();
      toast(t`Answer deleted`);
    },
    onFailed: async (error) => {
      toastError(t`Failed to delete answer: ${error.message}`);
      if (hasStatus(error, 404)) await removeFromPage();
    },
  });

  const leaveEditing = () => {
    setEditing(false);
    reveal(post);
  };
  return (
    <PostFrame
      post={post}
      name={t`Answer by ${answer.authorName}`}
      className={isAccepted ? classes.accepted : undefined}
    >
      {!isDeleted && (
        <PostMeta post={post} content={answer}>
          {isAccepted && (
            <span className={classes.badge} title={t`Accepted by the author`}>
              <IconCheck size={15} stroke={2.2} aria-hidden="true" />
              {t`Accepted answer`}
            </span>
          )}
        </PostMeta>
      )}
      {editing ? (
        <EditPostForm
          kind="answer"
          post={answer}
          isDeleted={isDeleted}
          suggesting={!isOwn}
          onSaved={async (saved) => {
            if (saved === null) void cache.refresh();
            else await cache.update((page) => patchPost(page, post, saved));
            leaveEditing();
          }}
          onCancel={leaveEditing}
        />
      ) : isDeleted ? null : (
        <>
          <Markdown text={answer.content} imported={answer.source !== null} className={classes.text} />
          <div className={classes.actions}>
            <PostActions>
              <VoteButtons post={post} questionId={questionId} votes={answer} />
              <ReplyButton to={post} />
              {isQuestionAuthor && <AcceptAnswerButton answerId={answer.id} />}
              <BookmarkButton post={{ kind: 'answer', id: answer.id }} bookmarked={answer.bookmarked} />
              <CopyLinkButton post={post} />
              {isOwn && <AuthorPostActions onEdit={() => setEditing(true)} onDelete={deletion.ask} />}
              <PostMenu post={post} own={isOwn} onSuggest={() => setEditing(true)} />
            </PostActions>
          </div>
        </>
      )}
      <WhileReplyingTo post={post}>
        <ReplyForm to={post} isDeleted={isDeleted} answerId={answer.id} />
      </WhileReplyingTo>
      <ConfirmDialog
        {...deletion.dialog}
        title={t`Delete this answer?`}
        text={t`This permanently deletes the answer and its replies.`}
      />
    </PostFrame>
  );
});
