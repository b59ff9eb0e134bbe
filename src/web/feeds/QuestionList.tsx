import type { InfiniteData, QueryKey, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { QuestionCards } from '#shared/questions.ts';
import type { NewItems as News } from '#web/platform/live-list.ts';
import { NewItems } from '#web/ui/NewItems.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { QuestionCard } from './QuestionCard.tsx';
import { QuestionCardSkeletons } from './QuestionCardSkeleton.tsx';
import { changePages, type LiveCards, useLiveCards } from './useLiveCards.ts';

type Pages = InfiniteData<QuestionCards>;

/** Questions as cards below what they are of, 20 at a time, live. @param takes @param keeps what comes in and goes, as useLiveCards has it. */
export function LiveQuestionList({
  queryKey,
  takes,
  keeps,
  ...shown
}: { query: UseInfiniteQueryResult<Pages>; queryKey: QueryKey; empty: ReactNode } & Required<
  Pick<LiveCards<Pages>, 'takes'>
> &
  Pick<LiveCards<Pages>, 'keeps'>) {
  const news = useLiveCards({ queryKey, changeCards: changePages, takes, ...(keeps && { keeps }) });
  return <QuestionList {...shown} news={news} part />;
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
          {news.pill !== null && <NewItems onClick={news.show}>{news.pill}</NewItems>}
          {questions.map((question) => (
            <QuestionCard key={question.id} question={question} />
          ))}
        </>
      )}
    </PagedList>
  );
}
