import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { QuestionCards } from '#shared/questions.ts';
import { PagedList } from '#web/ui/PagedList.tsx';
import { QuestionCard } from './QuestionCard.tsx';
import { QuestionCardSkeletons } from './QuestionCardSkeleton.tsx';

/** Questions as cards, 20 at a time. */
export function QuestionList({
  query,
  empty,
}: {
  query: UseInfiniteQueryResult<InfiniteData<QuestionCards>>;
  empty: ReactNode;
}) {
  return (
    <PagedList
      query={query}
      noun="questions"
      keyOf={(question) => question.id}
      pending={<QuestionCardSkeletons />}
      empty={empty}
    >
      {(questions) => questions.map((question) => <QuestionCard key={question.id} question={question} />)}
    </PagedList>
  );
}
