import { t } from '@lingui/core/macro';
import { IconCheck } from '@tabler/icons-react';
import { memo, useState } from 'react';
import { draftPlaces } from '#shared/draft-places.ts';
import type { Answer } from '#shared/answers.ts';
import { BookmarkButton } from '#web/bookmarks/BookmarkButton.tsx';
import { PostMenu } from '#web/care/PostMenu.tsx';
import { isStatus } from '#web/platform/errors.ts';
import { toast, toastError } from '#web/platform/toast.ts';
import { CopyLink } from '#web/posts/CopyLink.tsx';
import { DeleteDialog } from '#web/posts/DeleteDialog.tsx';
import { OwnPostActions } from '#web/posts/OwnPostActions.tsx';
import { useQuestionPage } from '#web/posts/page-context.ts';
import { PostActions } from '#web/posts/PostActions.tsx';
import { PostFrame } from '#web/posts/PostFrame.tsx';
import { PostMeta } from '#web/posts/PostMeta.tsx';
import { isSamePost, type PostRef } from '#web/posts/post.ts';
import { patchPost, removeAnswer } from '#web/posts/question-page.ts';
import { SourceLine } from '#web/posts/SourceLine.tsx';
import { useDeletePost } from '#web/posts/useDeletePost.ts';
import { ReplyAction } from '#web/replies/ReplyAction.tsx';
import { ReplyForm } from '#web/replies/ReplyForm.tsx';
import { Markdown } from '#web/ui/markdown/Markdown.tsx';
import { VoteButtons } from '#web/votes/VoteButtons.tsx';
import { AcceptButton } from './AcceptButton.tsx';
import { EditAnswerForm } from './AnswerForm.tsx';
import classes from './AnswerArticle.module.css';

/** One answer, without its replies: they stand below it, each an article of its own. */
export const AnswerArticle = memo(function AnswerArticle({ answer }: { answer: Answer }) {
  const { questionId, member, cache, replyingTo, reveal, opening, askerId, acceptedAnswerId } =
    useQuestionPage();
  const [editing, setEditing] = useState(opening === draftPlaces.edit({ kind: 'answer', id: answer.id }));
  const post: PostRef = { kind: 'answer', id: answer.id };
  const replying = isSamePost(replyingTo, post);
  const own = answer.authorId === member.id;
  const asked = askerId === member.id;
  const accepted = acceptedAnswerId === answer.id;
  const takeOff = async () => {
    await cache.change((page) => removeAnswer(page, answer.id));
    cache.refreshLists();
  };
  const deletion = useDeletePost(post, {
    onDeleted: async () => {
      await takeOff();
      toast(t`Answer deleted`);
    },
    onFailed: async (error) => {
      toastError(t`Failed to delete answer: ${error.message}`);
      if (isStatus(error, 404)) await takeOff();
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
      className={accepted ? classes.accepted : undefined}
    >
      <PostMeta post={post} content={answer}>
        {accepted && (
          <span
            className={asked ? `${classes.badge} ${classes.toAsker}` : classes.badge}
            title={t`Accepted by the asker`}
          >
            <IconCheck size={15} stroke={2.2} aria-hidden="true" />
            {t`Accepted answer`}
          </span>
        )}
      </PostMeta>
      {editing ? (
        <EditAnswerForm
          answer={answer}
          onSaved={async (saved) => {
            await cache.change((page) => patchPost(page, post, saved));
            leaveEditing();
          }}
          onCancel={leaveEditing}
        />
      ) : (
        <>
          <Markdown text={answer.content} breaks={answer.source === null} className={classes.text} />
          {answer.source !== null && <SourceLine source={answer.source} authorName={answer.authorName} />}
          <div className={classes.actions}>
            <PostActions>
              <VoteButtons post={post} questionId={questionId} votes={answer} />
              <ReplyAction to={post} />
              {asked && <AcceptButton answerId={answer.id} />}
              <BookmarkButton post={{ kind: 'answer', id: answer.id }} bookmarked={answer.bookmarked} />
              <CopyLink post={post} />
              {own && <OwnPostActions onEdit={() => setEditing(true)} onDelete={deletion.ask} />}
              <PostMenu post={post} own={own} />
            </PostActions>
          </div>
        </>
      )}
      {replying && <ReplyForm to={post} answerId={answer.id} />}
      <DeleteDialog
        {...deletion.dialog}
        title={t`Delete this answer?`}
        text={t`The answer and the replies to it will be gone for good.`}
      />
    </PostFrame>
  );
});
