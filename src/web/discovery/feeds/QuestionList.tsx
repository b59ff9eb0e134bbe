import type { InfiniteData, QueryKey, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { QuestionCards } from '#shared/posts/questions.ts';
import type { PendingNewItems as News } from '#web/core/live-list.ts';
import { NewItemsPill } from '#web/ui/NewItemsPill.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { QuestionCard } from './QuestionCard.tsx';
import { QuestionCardSkeletons } from './QuestionCardSkeletons.tsx';
import { mapQuestionCards, type LiveQuestionCards, useLiveQuestionCards } from './useLiveQuestionCards.ts';

type Pages = InfiniteData<QuestionCards>;

/** A live list of question cards, 20 at a time. `belongs` and `belongsAfterEdit` are as in `useLiveQuestionCards`. */
export function LiveQuestionList({
  queryKey,
  belongs,
  belongsAfterEdit,
  ...shown
}: { query: UseInfiniteQueryResult<Pages>; queryKey: QueryKey; empty: ReactNode } & Required<
  Pick<LiveQuestionCards<Pages>, 'belongs'>
> &
  Pick<LiveQuestionCards<Pages>, 'belongsAfterEdit'>) {
  const newItems = useLiveQuestionCards({
    queryKey,
    mapCards: mapQuestionCards,
    belongs,
    ...(belongsAfterEdit && { belongsAfterEdit }),
  });
  return <QuestionList {...shown} newItems={newItems} part />;
}

/**
 * A list of question cards, 20 at a time.
 * @param part whether the page shows more than the list.
 */
export function QuestionList({
  query,
  newItems,
  empty,
  part = false,
}: {
  query: UseInfiniteQueryResult<Pages>;
  newItems: News;
  empty: ReactNode;
  part?: boolean;
}) {
  return (
    <PagedList
      query={query}
      noun="questions"
      hasAddresses
      keyOf={(question) => question.id}
      pending={<QuestionCardSkeletons part={part} />}
      empty={empty}
    >
      {(questions) => (
        <>
          {newItems.pill !== null && <NewItemsPill onClick={newItems.show}>{newItems.pill}</NewItemsPill>}
          {questions.map((question) => (
            <QuestionCard key={question.id} question={question} />
          ))}
        </>
      )}
    </PagedList>
  );
}
