import { plural, t } from '@lingui/core/macro';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { limits } from '#shared/core/limits.ts';
import { getSearchKind, parseSearch, removeTerm } from '#shared/discovery/search-query.ts';
import { maxCountedResults, type SearchKind, type SearchSort } from '#shared/discovery/search.ts';
import { countCodePoints } from '#shared/core/text.ts';
import { api, readJson } from '#web/core/api.ts';
import { formatCount } from '#web/core/format.ts';
import { logFailure } from '#web/core/errors.ts';
import { paths, stringifySearch } from '#web/core/paths.ts';

export type Search = { q: string; kind: SearchKind; sort: SearchSort };

/** The search of an address. An operator such as `is:answer` selects the kind. */
export function toSearch({
  q: typed = '',
  in: kind = 'questions',
  sort = 'relevance',
}: {
  q?: string | undefined;
  in?: SearchKind | undefined;
  sort?: SearchSort | undefined;
}): Search {
  const q = typed.trim();
  return { q, kind: getSearchKind(parseSearch(q)) ?? kind, sort };
}

/** Whether to send the query: a blank one finds nothing, and the server refuses one that is too long. */
export function canSearch(q: string): boolean {
  return q !== '' && countCodePoints(q) <= limits.searchQuery;
}

/** The address of a search, without default values. */
export function searchPath({ q, kind, sort }: Search): string {
  const parameters = {
    q: q === '' ? undefined : q,
    in: kind === 'questions' ? undefined : kind,
    sort: sort === 'relevance' ? undefined : sort,
  };
  return paths.search + stringifySearch(parameters);
}

/** Removes `is:answer` from the query, which would override the selected kind. */
export function removeKindTerm(query: string): string {
  const term = parseSearch(query).findLast(
    (part) => part.kind === 'is' && (part.is === 'question' || part.is === 'answer'),
  );
  return term === undefined ? query : removeKindTerm(removeTerm(query, term));
}

/**
 * One page of results at a time.
 * @param search with `q` trimmed.
 */
export function searchQuery({ q, kind, sort }: Search, after: string | null = null) {
  return infiniteQueryOptions({
    queryKey: ['search', { q, kind, sort }, ...(after === null ? [] : [after])],
    queryFn: async ({ pageParam: cursor, signal }) => {
      const query = { q, in: kind, sort, ...(cursor === null ? {} : { cursor }) };
      try {
        return await readJson(api.search.$get({ query }, { init: { signal } }));
      } catch (error) {
        if (!signal.aborted) logFailure('Searching', error);
        throw error;
      }
    },
    initialPageParam: after,
    getNextPageParam: (page) => page.nextCursor,
    enabled: canSearch(q),
    // A failed search shows an empty list immediately (docs/product.md 16.4).
    retry: false,
  });
}

/**
 * The best few matches of each kind while the member types. A failure finds nothing.
 * @param q trimmed.
 */
export function instantSearchQuery(q: string) {
  return queryOptions({
    queryKey: ['search', 'instant', q],
    queryFn: ({ signal }) => readJson(api.search.instant.$get({ query: { q } }, { init: { signal } })),
    enabled: canSearch(q),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/**
 * 'N results' (docs/product.md 18.9).
 * @param total counted up to `maxCountedResults`; a higher value means more.
 */
export function resultCountText(total: number): string {
  const exact = formatCount(Math.min(total, maxCountedResults));
  if (total > maxCountedResults) return t`More than ${exact} results`;
  return plural(total, { one: `${exact} result`, other: `${exact} results` });
}
