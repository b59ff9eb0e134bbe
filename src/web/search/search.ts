import { infiniteQueryOptions } from '@tanstack/react-query';
import { limits } from '#shared/limits.ts';
import { countedResults, type SearchKind, type SearchSort } from '#shared/search.ts';
import { codePoints } from '#shared/text.ts';
import { api, read } from '#web/platform/api.ts';
import { logFailure } from '#web/platform/log.ts';

export type Search = { q: string; kind: SearchKind; sort: SearchSort };

/** Whether there is anything to ask the server: a blank query gives no results, an endless one is refused. */
export function canSearch(q: string): boolean {
  return q !== '' && codePoints(q) <= limits.searchQuery;
}

/** What matches, a page at a time. @param search `q` without spaces around. */
export function searchQuery({ q, kind, sort }: Search) {
  return infiniteQueryOptions({
    queryKey: ['search', { q, kind, sort }],
    queryFn: async ({ pageParam: cursor, signal }) => {
      const query = { q, in: kind, sort, ...(cursor === null ? {} : { cursor }) };
      try {
        return await read(api.search.$get({ query }, { init: { signal } }));
      } catch (error) {
        if (!signal.aborted) logFailure('Searching', error);
        throw error;
      }
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    enabled: canSearch(q),
    // A failure shows an empty list (SPEC section 8), at once.
    retry: false,
  });
}

/** 'N results', as DECISIONS section 9 has it. @param total counted up to `countedResults`, one more means more. */
export function resultCount(total: number): string {
  if (total > countedResults) return `More than ${countedResults.toLocaleString('en')} results`;
  return `${total.toLocaleString('en')} ${total === 1 ? 'result' : 'results'}`;
}
