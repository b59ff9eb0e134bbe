import { plural, t } from '@lingui/core/macro';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { limits } from '#shared/core/limits.ts';
import { parseSearch, removeTerm } from '#shared/discovery/search-query.ts';
import { maxCountedResults, type SearchKind, type SearchSort } from '#shared/discovery/search.ts';
import { countCodePoints } from '#shared/core/text.ts';
import { api, readJson } from '#web/core/api.ts';
import { formatCount } from '#web/core/format.ts';
import { logFailure } from '#web/core/errors.ts';

export type Search = { q: string; kind: SearchKind; sort: SearchSort };

/** Whether there is anything to ask the server: a blank query gives no results, an endless one is refused. */
export function canSearch(q: string): boolean {
  return q !== '' && countCodePoints(q) <= limits.searchQuery;
}

/** Where the router finds a search; what is usual is not named. */
export function toSearchLocation({ q, kind, sort }: Search) {
  return {
    to: '/search',
    search: {
      q: q === '' ? undefined : q,
      in: kind === 'questions' ? undefined : kind,
      sort: sort === 'relevance' ? undefined : sort,
    },
  } as const;
}

/** The query without `is:answer`, which would win over what is chosen elsewhere. */
export function removeKindTerm(query: string): string {
  const term = parseSearch(query).findLast(
    (part) => part.kind === 'is' && (part.is === 'question' || part.is === 'answer'),
  );
  return term === undefined ? query : removeKindTerm(removeTerm(query, term));
}

/** What matches, a page at a time. @param search `q` without spaces around. */
export function searchQuery({ q, kind, sort }: Search) {
  return infiniteQueryOptions({
    queryKey: ['search', { q, kind, sort }],
    queryFn: async ({ pageParam: cursor, signal }) => {
      const query = { q, in: kind, sort, ...(cursor === null ? {} : { cursor }) };
      try {
        return await readJson(api.search.$get({ query }, { init: { signal } }));
      } catch (error) {
        if (!signal.aborted) logFailure('Searching', error);
        throw error;
      }
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    enabled: canSearch(q),
    // A failure shows an empty list (docs/product.md 16.4), at once.
    retry: false,
  });
}

/** The best few of each kind for a text that is still being typed; a failure finds nothing. @param q trimmed. */
export function instantSearchQuery(q: string) {
  return queryOptions({
    queryKey: ['search', 'instant', q],
    queryFn: ({ signal }) => readJson(api.search.instant.$get({ query: { q } }, { init: { signal } })),
    enabled: canSearch(q),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** 'N results', as docs/product.md 18 has it. @param total counted up to `countedResults`, one more means more. */
export function resultCountText(total: number): string {
  const exact = formatCount(Math.min(total, maxCountedResults));
  if (total > maxCountedResults) return t`More than ${exact} results`;
  return plural(total, { one: `${exact} result`, other: `${exact} results` });
}
