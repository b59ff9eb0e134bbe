import { t } from '@lingui/core/macro';
import { memo, useId, useState } from 'react';
import { draftTargets } from '#shared/posts/drafts-targets.ts';
import type { Question } from '#shared/posts/questions.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import { getSiteOrigin } from '#web/core/paths.ts';
import { ConfirmDialog } from '#web/ui/Dialog.tsx';
import { QuestionStatusBanner } from '#web/moderation/QuestionStatusBanner.tsx';
import { BookmarkButton } from '#web/engagement/BookmarkButton.tsx';
import { MuteQuestionButton } from '#web/engagement/MuteQuestionButton.tsx';
import { AuthorPostActions, PostActions } from '#web/posts/PostActions.tsx';
import { useQuestionPage } from '#web/posts/questions/question-page-context.ts';
import { PostFrame } from '#web/posts/PostFrame.tsx';
import { PostMeta } from '#web/posts/PostMeta.tsx';
import type { PostRef } from '#shared/core/fields.ts';
import { anchorOf } from '#web/posts/post-ref.ts';
import { PostAttribution } from '#web/posts/PostAttribution.tsx';
import facts from '#web/ui/meta-line.module.css';
import { Count } from '#web/ui/Count.tsx';
import { Markdown } from '#web/ui/markdown/Markdown.tsx';
import { PageHeading } from '#web/ui/PageHeading.tsx';
import { TagLinks } from '#web/posts/TagLinks.tsx';
import { VoteButtons } from '#web/engagement/VoteButtons.tsx';
import { EditQuestionForm } from '#web/posts/post-forms-on-demand.tsx';
import { FollowQuestionButton } from '#web/engagement/FollowQuestionButton.tsx';
import { QuestionMenu } from './QuestionMenu.tsx';
import { ShareButton } from '#web/posts/ShareButton.tsx';
import { useDeleteQuestion } from '#web/posts/questions/useDeleteQuestion.ts';
import { JumpToAcceptedAnswer } from './JumpToAcceptedAnswer.tsx';
import classes from './QuestionArticle.module.css';

/** @param licenses the licences of all imported posts of the page. */
export const QuestionArticle = memo(function QuestionArticle({
  question,
  licenses,
}: {
  question: Question;
  licenses: string;
}) {
  const { member, reveal, draftToOpen, deletedPosts } = useQuestionPage();
  const [editing, setEditing] = useState(
    draftToOpen === draftTargets.edit({ kind: 'question', id: question.id }),
  );
  const titleId = useId();
  const post: PostRef = { kind: 'question', id: question.id };
  const isOwn = question.authorId === member.id;
  const deletion = useDeleteQuestion(question.id);

  const isDeleted = deletedPosts.has(anchorOf(post));
  const leaveEditing = () => {
    setEditing(false);
    reveal(post);
  };
  if (isDeleted && !editing) return null;
  return (
    <PostFrame post={post} {...(isDeleted ? { name: question.title } : { titleId })}>
      {!isDeleted && (
        <>
          <PageHeading className={classes.title}>
            <span id={titleId} dir="auto" className={classes.titleText}>
              {question.title}
            </span>
          </PageHeading>
          <PostMeta post={post} content={question}>
            <span className={facts.item}>
              <Count of={question.views} singular="view" />
            </span>
            <JumpToAcceptedAnswer />
          </PostMeta>
          <QuestionStatusBanner question={question} />
        </>
      )}
      {editing ? (
        <EditQuestionForm question={question} suggesting={!isOwn} onLeave={leaveEditing} />
      ) : (
        <>
          <p className={classes.address}>
            {new URL(questionPath(question.id, question.title), getSiteOrigin()).href}
          </p>
          <Markdown
            text={question.content}
            imported={question.source !== null}
            headingLevel={2}
            className={classes.text}
          />
          <TagLinks tags={question.tags} />
          {question.source !== null && (
            <PostAttribution source={question.source} authorName={question.authorName} licenses={licenses} />
          )}
          <div className={classes.actions}>
            <PostActions>
              <VoteButtons post={post} questionId={question.id} votes={question} />
              <FollowQuestionButton questionId={question.id} following={question.following} />
              <BookmarkButton post={{ kind: 'question', id: question.id }} bookmarked={question.bookmarked} />
              <ShareButton question={question} />
              {isOwn && (
                <AuthorPostActions
                  onEdit={() => setEditing(true)}
                  onDelete={deletion.ask}
                  deleteName={t`Delete Question`}
                />
              )}
              <MuteQuestionButton muted={question.muted} />
              <QuestionMenu question={question} own={isOwn} onSuggest={() => setEditing(true)} />
            </PostActions>
          </div>
        </>
      )}
      <ConfirmDialog
        {...deletion.dialog}
        title={t`Delete this question?`}
        text={t`This permanently deletes the question, its answers and all replies.`}
      />
    </PostFrame>
  );
});
