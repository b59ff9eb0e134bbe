import { t } from '@lingui/core/macro';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { LiveQuestionList, QuestionList } from '#web/feeds/QuestionList.tsx';
import { HiddenNote, useMutedChoice } from '#web/mutes/HiddenNote.tsx';
import { hiddenIn } from '#web/mutes/mutes.ts';
import { useIsHidden } from '#web/mutes/useIsHidden.ts';
import { followedQuestionsQuery, recentActivityQuery } from './follows.ts';
import { useIsFollowed, useLiveActivity } from './useLiveFollowed.ts';
import classes from './FollowedQuestions.module.css';

/** 'All Questions': with a followed topic, or followed themselves, newest first. */
export function FollowedQuestions({ empty }: { empty: ReactNode }) {
  const muted = useMutedChoice();
  const isFollowed = useIsFollowed();
  const isHidden = useIsHidden(muted);
  const wanted = followedQuestionsQuery(muted);
  const query = useInfiniteQuery(wanted);
  const belongs = (question: Parameters<typeof isHidden>[0]) => isFollowed(question) && !isHidden(question);
  return (
    <>
      <HiddenNote count={hiddenIn(query.data)} muted={muted} />
      <LiveQuestionList
        query={query}
        queryKey={wanted.queryKey}
        takes={belongs}
        keeps={belongs}
        empty={empty}
      />
    </>
  );
}

/** 'Recent Activity': what happened in the last 7 days, in questions that the member follows or whose topic they do. */
export function RecentActivity({ empty }: { empty: ReactNode }) {
  const muted = useMutedChoice();
  const query = useInfiniteQuery(recentActivityQuery(muted));
  const news = useLiveActivity(muted);
  return (
    <>
      <h2 className={classes.week}>{t`This Week`}</h2>
      <HiddenNote count={hiddenIn(query.data)} muted={muted} />
      <QuestionList query={query} news={news} empty={empty} />
    </>
  );
}
