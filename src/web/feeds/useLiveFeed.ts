import type { Feed } from '#shared/feeds.ts';
import type { NewItems } from '#web/platform/live-list.ts';
import { feedQuery } from './feed.ts';
import { changePages, useLiveCards } from './useLiveCards.ts';

/** Keeps a feed as it is on the server. */
export function useLiveFeed(feed: Feed): NewItems {
  return useLiveCards({
    queryKey: feedQuery(feed).queryKey,
    changeCards: changePages,
    // Nobody voted on it yet.
    takes: () => feed !== 'popular',
    byCounts: feed !== 'recent',
  });
}
