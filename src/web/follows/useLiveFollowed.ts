import { type InfiniteData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import type { Followed } from '#shared/follows.ts';
import type { MutedChoice } from '#shared/mutes.ts';
import { tagKey } from '#shared/tags.ts';
import type { FollowedTopic } from '#shared/topics.ts';
import { type ChangeCards, changePages, useLiveCards } from '#web/feeds/useLiveCards.ts';
import { useIsHidden } from '#web/mutes/useIsHidden.ts';
import { type NewItems, useArrivals, useLiveEntry } from '#web/platform/live-list.ts';
import { useLiveTopicPages } from '#web/topics/useLiveTopics.ts';
import { followedMarksQuery, followedTopicsQuery, recentActivityQuery } from './follows.ts';

type Tagged = { questionId: number; tags: readonly string[] };

/** Whether the member follows a question or one of its topics; false as long as that is not known. */
export function useIsFollowed(): (question: Tagged) => boolean {
  const { data: followed } = useQuery(followedMarksQuery);
  if (followed === undefined) return () => false;
  // More than was told: a fetch too many rather than news too few.
  if (!followed.complete) return () => true;
  const topics = new Set(followed.tags.map(tagKey));
  const questions = new Set(followed.questions);
  return ({ questionId, tags }) => questions.has(questionId) || tags.some((tag) => topics.has(tagKey(tag)));
}

/** Keeps 'Recent Activity' as it is on the server: what becomes active enters at the top, or waits. */
export function useLiveActivity(muted: MutedChoice): NewItems {
  const isFollowed = useIsFollowed();
  const isHidden = useIsHidden(muted);
  const { queryKey } = recentActivityQuery(muted);
  const belongs = (question: Tagged) => isFollowed(question) && !isHidden(question);
  const arrivals = useLiveCards({
    queryKey,
    changeCards: changePages,
    takes: belongs,
    hides: isHidden,
  });
  useLiveEntry('activity', queryKey, {
    patch: () => {},
    heard(event) {
      if (!belongs(event)) return;
      arrivals.arrive(event.questionId);
      arrivals.reorder();
    },
    missed: arrivals.refresh,
  });
  return arrivals;
}

/**
 * Keeps 'My Topics' as it is on the server. What is followed elsewhere and what is asked there enters or waits.
 * @param still nothing comes in by itself, because the member chooses among what stands below.
 */
export function useLiveFollowedTopics(still: boolean): NewItems {
  const client = useQueryClient();
  const isFollowed = useIsFollowed();
  const isHidden = useIsHidden('hide');
  const { data: followed } = useQuery(followedMarksQuery);
  const { queryKey } = followedTopicsQuery;
  const questions = useLiveCards({
    queryKey,
    changeCards: changeTopics,
    takes: (posted) => isFollowed(posted) && !isHidden(posted),
    hides: isHidden,
  });
  const topics = useArrivals<string>(queryKey, 'topic', shows);
  useLiveTopicPages(queryKey);
  const enter = useEffectEvent((followed: Followed) => {
    if (still || client.getQueryData(queryKey) === undefined) return;
    for (const tag of followed.tags) if (!shows(tag)) topics.arrive(tag);
  });
  useEffect(() => {
    if (followed !== undefined) enter(followed);
  }, [followed]);

  return {
    pill: topics.pill ?? questions.pill,
    show() {
      topics.show();
      questions.show();
    },
  };

  /** Whether a topic is among those loaded, or stands below them. */
  function shows(tag: string): boolean {
    const pages = client.getQueryData<Pages>(queryKey)?.pages ?? [];
    const loaded = pages.flatMap((page) => page.items.map((topic) => tagKey(topic.tag)));
    if (loaded.includes(tagKey(tag))) return true;
    return pages.at(-1)?.nextCursor != null && tagKey(tag) > (loaded.at(-1) ?? '');
  }
}

type Pages = InfiniteData<{ items: FollowedTopic[]; nextCursor: string | null }>;

const changeTopics: ChangeCards<Pages> = (data, change) => {
  const pages = data.pages.map((page) => ({
    ...page,
    items: page.items.map((topic) => ({
      ...topic,
      questions: topic.questions.map(change).filter((card) => card !== null),
    })),
  }));
  return { ...data, pages };
};
