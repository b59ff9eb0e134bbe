import { infiniteQueryOptions } from '@tanstack/react-query';
import type { Feed } from '#shared/discovery/feeds.ts';
import type { MutedChoice } from '#shared/engagement/mutes.ts';
import { api, readJson } from '#web/core/api.ts';

/** The questions of one tab, 20 at a time. Loaded pages stay cached for Back. */
export function feedQuery(feed: Feed, muted: MutedChoice) {
  return infiniteQueryOptions({
    queryKey: ['feed', feed, muted],
    queryFn: ({ pageParam, signal }) => {
      const query = { muted, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return readJson(api.feeds[':feed'].$get({ param: { feed }, query }, { init: { signal } }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
}
