import type { Feed } from '#shared/feeds.ts';
import type { MutedChoice } from '#shared/mutes.ts';
import { useIsMuted } from '#web/mutes/useIsHidden.ts';
import type { PendingNewItems } from '#web/platform/live-list.ts';
import { feedQuery } from './feed.ts';
import { mapQuestionCards, useLiveQuestionCards } from './useLiveCards.ts';

/** Keeps a feed as it is on the server. */
export function useLiveFeed(feed: Feed, muted: MutedChoice): PendingNewItems {
  const isHidden = useIsMuted(muted);
  return useLiveQuestionCards({
    queryKey: feedQuery(feed, muted).queryKey,
    mapCards: mapQuestionCards,
    // Nobody voted on it yet.
    belongs: (posted) => feed !== 'popular' && !isHidden(posted),
    isMutedAfterEdit: isHidden,
    isSortedByCounts: feed !== 'recent',
  });
}
