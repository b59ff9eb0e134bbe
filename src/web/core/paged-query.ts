import { infiniteQueryOptions, type QueryKey } from '@tanstack/react-query';

type Page = { nextCursor: string | null };

/**
 * A list that the API sends in pages, read again whenever it is shown.
 * @param readPage gets the cursor as part of a query, and the options of a request with the signal that cancels it
 * @param after the cursor of the page to begin with
 */
export function pagedQuery<Key extends QueryKey, Data extends Page>(
  queryKey: Key,
  readPage: (page: { cursor?: string }, options: { init: { signal: AbortSignal } }) => Promise<Data>,
  after: string | null = null,
) {
  return infiniteQueryOptions({
    queryKey: after === null ? queryKey : [...queryKey, after],
    queryFn: ({ pageParam: cursor, signal }) =>
      readPage(cursor === null ? {} : { cursor }, { init: { signal } }),
    initialPageParam: after,
    getNextPageParam: (page: Data) => page.nextCursor,
    staleTime: 0,
  });
}
