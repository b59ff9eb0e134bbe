import { infiniteQueryOptions } from '@tanstack/react-query';
import type { Feed } from '#shared/discovery/feeds.ts';
import { combineFeedPage } from '#shared/discovery/viewer.ts';
import type { MutedChoice } from '#shared/engagement/mutes.ts';
import { api, readJson } from '#web/core/api.ts';

/**
 * The questions of one tab, 20 at a time. Loaded pages stay cached for Back.
 * @param after the cursor after which the list begins; null for its beginning
 */
export function feedQuery(feed: Feed, muted: MutedChoice, after: string | null = null) {
  return infiniteQueryOptions({
    queryKey: ['feed', feed, muted, ...(after === null ? [] : [after])],
    queryFn: async ({ pageParam, signal }) => {
      const query = pageParam === null ? {} : { cursor: pageParam };
      const [document, viewer] = await Promise.all([
        readJson(api.feeds[':feed'].$get({ param: { feed }, query }, { init: { signal } })),
        readJson(
          api.viewer.feeds[':feed'].$get(
            { param: { feed }, query: { muted, ...query } },
            { init: { signal } },
          ),
        ),
      ]);
      return combineFeedPage(document, viewer);
    },
    initialPageParam: after,
    getNextPageParam: (page) => page.nextCursor,
  });
}
