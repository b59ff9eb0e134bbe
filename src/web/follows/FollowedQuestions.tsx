import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { QuestionList } from '#web/feeds/QuestionList.tsx';
import { followedQuestionsQuery, recentActivityQuery } from './follows.ts';
import classes from './FollowedQuestions.module.css';

/** 'All Questions': with a followed topic, or followed themselves, newest first. */
export function FollowedQuestions({ empty }: { empty: ReactNode }) {
  return <QuestionList query={useInfiniteQuery(followedQuestionsQuery)} empty={empty} />;
}

/** 'Recent Activity': what happened in the last 7 days, in questions that the member follows or whose topic they do. */
export function RecentActivity({ empty }: { empty: ReactNode }) {
  const query = useInfiniteQuery(recentActivityQuery);
  return (
    <>
      <h2 className={classes.week}>This Week</h2>
      <QuestionList query={query} empty={empty} />
    </>
  );
}
