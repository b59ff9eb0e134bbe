import { tagKey } from '#shared/core/text.ts';
import { type InfiniteData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import type { Follows } from '#shared/engagement/follows.ts';
import type { MutedChoice } from '#shared/engagement/mutes.ts';
import type { FollowedTag } from '#shared/discovery/tags.ts';
import {
  type MapCards,
  mapQuestionCards,
  useLiveQuestionCards,
} from '#web/discovery/feeds/useLiveQuestionCards.ts';
import { useIsMuted } from '#web/engagement/useIsMuted.ts';
import { type PendingNewItems, useLiveList, useLiveQuery } from '#web/core/live-list.ts';
import { useLiveTagPages } from '#web/discovery/tags/useLiveTags.ts';
import { followedTagsQuery, followsQuery, recentActivityQuery } from '#web/engagement/follows.ts';

type TaggedQuestion = { questionId: number; tags: readonly string[] };

/** Whether the member follows a question or one of its topics; false as long as that is not known. */
export function useIsFollowed(): (question: TaggedQuestion) => boolean {
  const { data: followed } = useQuery(followsQuery);
  if (followed === undefined) return () => false;
  // More than was told: a fetch too many rather than news too few.
  if (!followed.complete) return () => true;
  const topics = new Set(followed.tags.map(tagKey));
  const questions = new Set(followed.questions);
  return ({ questionId, tags }) => questions.has(questionId) || tags.some((tag) => topics.has(tagKey(tag)));
}

/** Keeps 'Recent Activity' as it is on the server: what becomes active enters at the top, or waits. */
export function useLiveRecentActivity(muted: MutedChoice): PendingNewItems {
  const isFollowed = useIsFollowed();
  const isHidden = useIsMuted(muted);
  const { queryKey } = recentActivityQuery(muted);
  const belongs = (question: TaggedQuestion) => isFollowed(question) && !isHidden(question);
  const arrivals = useLiveQuestionCards({
    queryKey,
    mapCards: mapQuestionCards,
    belongs: belongs,
    isMutedAfterEdit: isHidden,
  });
  useLiveQuery('activity', queryKey, {
    patch: () => {},
    heard(event) {
      if (!belongs(event)) return;
      arrivals.addItem(event.questionId);
      arrivals.reorder();
    },
    onMissed: arrivals.refresh,
  });
  return arrivals;
}

/**
 * Keeps 'My Topics' as it is on the server. What is followed elsewhere and what is asked there enters or waits.
 * @param isFrozen nothing comes in by itself, because the member chooses among what stands below.
 */
export function useLiveFollowedTags(isFrozen: boolean): PendingNewItems {
  const client = useQueryClient();
  const isFollowed = useIsFollowed();
  const isHidden = useIsMuted('hide');
  const { data: followed } = useQuery(followsQuery);
  const { queryKey } = followedTagsQuery;
  const questions = useLiveQuestionCards({
    queryKey,
    mapCards: mapFollowedTagCards,
    belongs: (posted) => isFollowed(posted) && !isHidden(posted),
    isMutedAfterEdit: isHidden,
  });
  const topics = useLiveList<string>(queryKey, 'topic', isShown);
  useLiveTagPages(queryKey);
  const enter = useEffectEvent((followed: Follows) => {
    if (isFrozen || client.getQueryData(queryKey) === undefined) return;
    for (const tag of followed.tags) if (!isShown(tag)) topics.addItem(tag);
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
  function isShown(tag: string): boolean {
    const pages = client.getQueryData<Pages>(queryKey)?.pages ?? [];
    const loaded = pages.flatMap((page) => page.items.map((topic) => tagKey(topic.name)));
    if (loaded.includes(tagKey(tag))) return true;
    return pages.at(-1)?.nextCursor != null && tagKey(tag) > (loaded.at(-1) ?? '');
  }
}

type Pages = InfiniteData<{ items: FollowedTag[]; nextCursor: string | null }>;

const mapFollowedTagCards: MapCards<Pages> = (data, change) => {
  const pages = data.pages.map((page) => ({
    ...page,
    items: page.items.map((topic) => ({
      ...topic,
      questions: topic.questions.map(change).filter((card) => card !== null),
    })),
  }));
  return { ...data, pages };
};
