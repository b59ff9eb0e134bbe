import { t } from '@lingui/core/macro';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { LiveQuestionList, QuestionList } from '#web/discovery/feeds/QuestionList.tsx';
import {
  countMuted,
  followedQuestionsQuery,
  MutedBanner,
  recentActivityQuery,
  useIsMuted,
  useMutedFilter,
} from '#web/engagement/index.ts';
import { useIsFollowed, useLiveRecentActivity } from './useLiveFollowing.ts';
import classes from './following.module.css';

/** 'All Questions': questions with a followed tag and followed questions, newest first. */
export function FollowedQuestions({ empty }: { empty: ReactNode }) {
  const muted = useMutedFilter();
  const isFollowed = useIsFollowed();
  const isHidden = useIsMuted(muted);
  const options = followedQuestionsQuery(muted);
  const query = useInfiniteQuery(options);
  const belongs = (question: Parameters<typeof isHidden>[0]) => isFollowed(question) && !isHidden(question);
  return (
    <>
      <MutedBanner count={countMuted(query.data)} muted={muted} />
      <LiveQuestionList
        query={query}
        queryKey={options.queryKey}
        belongs={belongs}
        belongsAfterEdit={belongs}
        empty={empty}
      />
    </>
  );
}

/** 'Recent Activity': the last 7 days of followed questions and of questions with a followed tag. */
export function RecentActivity({ empty }: { empty: ReactNode }) {
  const muted = useMutedFilter();
  const query = useInfiniteQuery(recentActivityQuery(muted));
  const newItems = useLiveRecentActivity(muted);
  return (
    <>
      <h2 className={classes.week}>{t`This Week`}</h2>
      <MutedBanner count={countMuted(query.data)} muted={muted} />
      <QuestionList query={query} newItems={newItems} empty={empty} />
    </>
  );
}
