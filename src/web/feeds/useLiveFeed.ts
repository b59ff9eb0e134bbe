import type { Feed } from '#shared/feeds.ts';
import type { MutedChoice } from '#shared/mutes.ts';
import { useIsHidden } from '#web/mutes/useIsHidden.ts';
import type { NewItems } from '#web/platform/live-list.ts';
import { feedQuery } from './feed.ts';
import { changePages, useLiveCards } from './useLiveCards.ts';

/** Keeps a feed as it is on the server. */
export function useLiveFeed(feed: Feed, muted: MutedChoice): NewItems {
  const isHidden = useIsHidden(muted);
  return useLiveCards({
    queryKey: feedQuery(feed, muted).queryKey,
    changeCards: changePages,
    // Nobody voted on it yet.
    takes: (posted) => feed !== 'popular' && !isHidden(posted),
    hides: isHidden,
    byCounts: feed !== 'recent',
  });
}
