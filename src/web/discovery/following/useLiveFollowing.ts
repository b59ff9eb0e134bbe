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
import { followedTagsQuery, followsQuery, recentActivityQuery, useIsMuted } from '#web/engagement/index.ts';
import { type PendingNewItems, useLiveList } from '#web/core/live-list.ts';
import { useLiveQuery } from '#web/core/live-query.ts';
import { useLiveTagPages } from '#web/discovery/tags/useLiveTags.ts';

type TaggedQuestion = { questionId: number; tags: readonly string[] };

/**
 * Returns a function that says whether the member follows a question or one of its tags; false until the follows are
 * loaded.
 */
export function useIsFollowed(): (question: TaggedQuestion) => boolean {
  const { data: followed } = useQuery(followsQuery);
  if (followed === undefined) return () => false;
  // The list of follows is incomplete: an extra fetch is better than a missed question.
  if (!followed.complete) return () => true;
  const tagNames = new Set(followed.tags.map(tagKey));
  const questions = new Set(followed.questions);
  return ({ questionId, tags }) => questions.has(questionId) || tags.some((tag) => tagNames.has(tagKey(tag)));
}

/** Updates 'Recent Activity' live: newly active questions appear at the top or are held back. */
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
    onEvent(event) {
      if (!belongs(event)) return;
      arrivals.addItem(event.questionId);
      arrivals.reorder();
    },
    onMissed: arrivals.refresh,
  });
  return arrivals;
}

/**
 * Updates 'My Topics' live. Tags followed elsewhere and new questions appear or are held back.
 * @param isFrozen no tag is added, because the member is choosing among the suggestions below.
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
  const tags = useLiveList<string>(queryKey, 'tag', isShown);
  useLiveTagPages(queryKey);
  const enter = useEffectEvent((followed: Follows) => {
    if (isFrozen || client.getQueryData(queryKey) === undefined) return;
    for (const tag of followed.tags) if (!isShown(tag)) tags.addItem(tag);
  });
  useEffect(() => {
    if (followed !== undefined) enter(followed);
  }, [followed]);

  return {
    pill: tags.pill ?? questions.pill,
    show() {
      tags.show();
      questions.show();
    },
  };

  /** Whether a tag is loaded or sorts after the loaded ones. */
  function isShown(tag: string): boolean {
    const pages = client.getQueryData<Pages>(queryKey)?.pages ?? [];
    const loaded = pages.flatMap((page) => page.items.map((listedTag) => tagKey(listedTag.name)));
    if (loaded.includes(tagKey(tag))) return true;
    return pages.at(-1)?.nextCursor != null && tagKey(tag) > (loaded.at(-1) ?? '');
  }
}

type Pages = InfiniteData<{ items: FollowedTag[]; nextCursor: string | null }>;

const mapFollowedTagCards: MapCards<Pages> = (data, change) => {
  const pages = data.pages.map((page) => ({
    ...page,
    items: page.items.map((tag) => ({
      ...tag,
      questions: tag.questions.map(change).filter((card) => card !== null),
    })),
  }));
  return { ...data, pages };
};
