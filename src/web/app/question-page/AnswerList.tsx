import { plural, t } from '@lingui/core/macro';
import { useRouter, useLocation } from '#web/core/router.ts';
import { useQueryClient } from '@tanstack/react-query';
import { Suspense } from 'react';
import { lazyComponent } from '#web/core/lazy.ts';
import type { Answer, AnswerSort } from '#shared/posts/answers.ts';
import type { QuestionPageData } from '#shared/posts/questions.ts';
import { useQuestionPage } from '#web/posts/questions/question-page-context.ts';
import { anchorOf, isSamePost } from '#web/posts/post-ref.ts';
import { questionQuery } from '#web/posts/questions/question-cache.ts';
import { QueuedPostArticle } from '#web/posts/post-forms-on-demand.tsx';
import { LoadMorePosts, ReplyThread } from './ReplyThread.tsx';
import { useNextPageAddress } from '#web/ui/list-address.ts';
import { NewItemsPill } from '#web/ui/NewItemsPill.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import { saveAnswerSort } from '#web/posts/answer-sort.ts';
import { AnswerArticle } from './AnswerArticle.tsx';
import classes from './AnswerList.module.css';
import { stringifySearch } from '#web/core/paths.ts';

const PreviousAnswers = lazyComponent(() => import('./PreviousAnswers.tsx'));

type AnswerListProps = {
  page: QuestionPageData;
  /**
   * `preferredSort` is the order for an address without `sort`. `pending` is true while the answers load in the new
   * order and those of the previous order are still shown.
   */
  sorting: { sort: AnswerSort; preferredSort: AnswerSort; pending: boolean };
  /** New answers that are held back so that nothing jumps, and the function that shows them. */
  newAnswers: { pending: ReadonlySet<number>; show: () => void };
};

/** The answers in the order given by the address, each with its replies. */
export function AnswerList({ page, sorting, newAnswers }: AnswerListProps) {
  const { sort, preferredSort, pending } = sorting;
  const { questionId, cache, targetPost, queuedPosts, deletedPosts } = useQuestionPage();
  const isQuestionDeleted = deletedPosts.has(anchorOf({ kind: 'question', id: questionId }));
  const count = page.question.answerCount;
  const { items, nextCursor, previousCursor } = page.answers;
  const nextPage = useNextPageAddress(nextCursor);
  const queuedAnswers = queuedPosts.filter(({ kind }) => kind === 'answer').toReversed();
  const visibleAnswers = items.filter(
    ({ id }) => !newAnswers.pending.has(id) || isSamePost(targetPost, { kind: 'answer', id }),
  );
  const isDeleted = ({ id }: Answer) => deletedPosts.has(anchorOf({ kind: 'answer', id }));
  return (
    <section aria-labelledby="answers" aria-busy={pending} className={classes.list}>
      {!isQuestionDeleted && (
        <div className={classes.head}>
          <h2 id="answers" className={classes.heading}>
            {plural(count, { one: '# Answer', other: '# Answers' })}
          </h2>
          {(count > 1 || sort !== 'newest') && <AnswerSortSelect sort={sort} preferredSort={preferredSort} />}
        </div>
      )}
      {previousCursor !== undefined && (
        <Suspense>
          <PreviousAnswers previousCursor={previousCursor} />
        </Suspense>
      )}
      {newAnswers.pending.size > 0 && (
        <NewItemsPill onClick={newAnswers.show}>
          {plural(newAnswers.pending.size, { one: '# new answer', other: '# new answers' })}
        </NewItemsPill>
      )}
      {!isQuestionDeleted &&
        previousCursor === undefined &&
        queuedAnswers.length === 0 &&
        visibleAnswers.every(isDeleted) && (
          <p className={classes.empty}>{t`No answers yet. Be the first to answer.`}</p>
        )}
      {!isQuestionDeleted &&
        queuedAnswers.map((post) => (
          <div key={post.data.key} className={classes.answer}>
            <QueuedPostArticle post={post} />
          </div>
        ))}
      {visibleAnswers.map((answer) => (
        <div key={answer.id} className={classes.answer} data-deleted={isDeleted(answer) || undefined}>
          <AnswerArticle answer={answer} />
          <ReplyThread answerId={answer.id} replies={answer.replies} />
        </div>
      ))}
      {nextCursor !== null && (
        <LoadMorePosts
          href={nextPage}
          name={t`Load more answers`}
          failure={t`More answers could not be loaded.`}
          load={cache.loadMoreAnswers}
        />
      )}
    </section>
  );
}

const sortOptions = (): readonly (readonly [AnswerSort, string])[] => [
  ['newest', t`Newest`],
  ['helpful', t`Most helpful`],
  ['oldest', t`Oldest`],
];

function AnswerSortSelect({ sort, preferredSort }: { sort: AnswerSort; preferredSort: AnswerSort }) {
  const { questionId } = useQuestionPage();
  const client = useQueryClient();
  const router = useRouter();
  const { pathname } = useLocation();
  return (
    <div className={classes.sort}>
      <SelectField
        label={t`Sort answers`}
        short
        options={sortOptions()}
        value={sort}
        onChange={(next) => {
          saveAnswerSort(next);
          // Fetches a fresh order when the member selects one. Otherwise positions stay while the page is open.
          client.removeQueries({ queryKey: questionQuery(questionId, next).queryKey });
          const search = stringifySearch({ sort: next === preferredSort ? undefined : next });
          void router.navigate(pathname + search, { resetScroll: false });
        }}
      />
    </div>
  );
}
