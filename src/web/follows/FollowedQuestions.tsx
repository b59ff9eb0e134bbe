import { t } from '@lingui/core/macro';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { LiveQuestionList, QuestionList } from '#web/feeds/QuestionList.tsx';
import { followedQuestionsQuery, recentActivityQuery } from './follows.ts';
import { useIsFollowed, useLiveActivity } from './useLiveFollowed.ts';
import classes from './FollowedQuestions.module.css';

/** 'All Questions': with a followed topic, or followed themselves, newest first. */
export function FollowedQuestions({ empty }: { empty: ReactNode }) {
  const isFollowed = useIsFollowed();
  return (
    <LiveQuestionList
      query={useInfiniteQuery(followedQuestionsQuery)}
      queryKey={followedQuestionsQuery.queryKey}
      takes={isFollowed}
      keeps={isFollowed}
      empty={empty}
    />
  );
}

/** 'Recent Activity': what happened in the last 7 days, in questions that the member follows or whose topic they do. */
export function RecentActivity({ empty }: { empty: ReactNode }) {
  const query = useInfiniteQuery(recentActivityQuery);
  const news = useLiveActivity();
  return (
    <>
      <h2 className={classes.week}>{t`This Week`}</h2>
      <QuestionList query={query} news={news} empty={empty} />
    </>
  );
}
