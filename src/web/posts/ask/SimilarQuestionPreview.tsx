import { t } from '@lingui/core/macro';
import { IconExternalLink } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { Answer } from '#shared/posts/answers.ts';
import type { Question, QuestionPageData } from '#shared/posts/questions.ts';
import { hasStatus } from '#web/core/errors.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import { questionQuery } from '#web/posts/questions/question-cache.ts';
import { PostAttribution } from '#web/posts/PostAttribution.tsx';
import { Count } from '#web/ui/Count.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { Markdown } from '#web/ui/markdown/Markdown.tsx';
import { type FailedQuery, LoadError } from '#web/ui/LoadError.tsx';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { SkeletonLines } from '#web/ui/Skeleton.tsx';
import { Time } from '#web/ui/Time.tsx';
import classes from './SimilarQuestionPreview.module.css';

/** A question and its best answer in a dialog over the form. */
export default function SimilarQuestionPreview({
  id,
  opened,
  onClose,
}: {
  id: number;
  opened: boolean;
  onClose: () => void;
}) {
  const query = useQuery({ ...questionQuery(id, 'helpful'), retry: false });
  const { data: page, error } = query;
  return (
    <Dialog
      title={page?.question.title ?? t`Similar question`}
      opened={opened}
      onClose={onClose}
      size="44rem"
      closeOnClickOutside
    >
      <div className={classes.preview}>
        {page !== undefined && <PreviewContent page={page} />}
        {page === undefined && error !== null && <PreviewError query={query} />}
        {page === undefined && error === null && (
          <LoadingRegion label={t`Loading the question`} part>
            <SkeletonLines widths={['92%', '84%', '60%']} />
          </LoadingRegion>
        )}
        <p className={classes.foot}>
          <a
            href={questionPath(id, page?.question.title)}
            target="_blank"
            rel="noopener"
            className={classes.open}
          >
            <IconExternalLink size={16} aria-hidden />
            {t`Open in a new tab`}
          </a>
        </p>
      </div>
    </Dialog>
  );
}

function PreviewError({ query }: { query: FailedQuery }) {
  if (!hasStatus(query.error, 404))
    return <LoadError text={t`The question could not be loaded.`} query={query} />;
  return (
    <p role="alert" className={classes.none}>
      {t`This question was deleted.`}
    </p>
  );
}

function PreviewContent({ page: { question, answers } }: { page: QuestionPageData }) {
  const best = bestAnswer(question, answers.items);
  return (
    <>
      <PreviewMeta post={question} />
      <Markdown text={question.content} imported={question.source !== null} headingLevel={3} />
      {question.source !== null && (
        <PostAttribution source={question.source} authorName={question.authorName} />
      )}
      <h3 className={classes.heading}>
        {best === undefined ? t`No answers yet` : bestAnswerHeading(question, best)}
      </h3>
      {best !== undefined && (
        <>
          <PreviewMeta post={best} />
          <Markdown text={best.content} imported={best.source !== null} headingLevel={4} />
          {best.source !== null && <PostAttribution source={best.source} authorName={best.authorName} />}
        </>
      )}
    </>
  );
}

function PreviewMeta({ post }: { post: Question | Answer }) {
  return (
    <p className={classes.meta}>
      <span dir="auto">{post.authorName}</span>
      <Time at={post.createdAt} />
      <Count of={post.upvotes} singular="upvote" />
    </p>
  );
}

/** The accepted answer, otherwise the one with the most upvotes. */
function bestAnswer(question: Question, answers: readonly Answer[]): Answer | undefined {
  const accepted = answers.find(({ id }) => id === question.acceptedAnswerId);
  const score = ({ upvotes, downvotes }: Answer) => upvotes - downvotes;
  return accepted ?? answers.toSorted((a, b) => score(b) - score(a))[0];
}

function bestAnswerHeading(question: Question, best: Answer): string {
  if (question.acceptedAnswerId === best.id) return t`Accepted answer`;
  return question.answerCount === 1 ? t`Answer` : t`Most helpful answer`;
}
