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

/** Questions as cards below what they are of, 20 at a time, live. @param takes @param keeps what comes in and goes, as useLiveCards has it. */
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
  return <QuestionList {...shown} news={newItems} part />;
}

/** Questions as cards, 20 at a time. @param part of a page that shows more than the list. */
export function QuestionList({
  query,
  news,
  empty,
  part = false,
}: {
  query: UseInfiniteQueryResult<Pages>;
  news: News;
  empty: ReactNode;
  part?: boolean;
}) {
  return (
    <PagedList
      query={query}
      noun="questions"
      keyOf={(question) => question.id}
      pending={<QuestionCardSkeletons part={part} />}
      empty={empty}
    >
      {(questions) => (
        <>
          {news.pill !== null && <NewItemsPill onClick={news.show}>{news.pill}</NewItemsPill>}
          {questions.map((question) => (
            <QuestionCard key={question.id} question={question} />
          ))}
        </>
      )}
    </PagedList>
  );
}
