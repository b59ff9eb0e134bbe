import { queryOptions } from '@tanstack/react-query';
import { api, readJson } from '#web/core/api.ts';

export const announcementsKey = ['announcements'] as const;

/**
 * The announcements and pinned questions of a page.
 * @param tag the tag whose page it is; null for the home page
 */
export const announcementsQuery = (tag: string | null) =>
  queryOptions({
    queryKey: [...announcementsKey, tag],
    queryFn: ({ signal }) =>
      readJson(api.announcements.$get({ query: tag === null ? {} : { tag } }, { init: { signal } })),
  });
