import type { InfiniteData, Query, QueryClient, UseInfiniteQueryResult } from '@tanstack/react-query';

/**
 * Stops what is on its way and would take back for a moment what the member just did: the server may have written it
 * before it heard of that. What has nothing to show yet goes on.
 * @param holds whether a query holds what is about to change.
 * @returns fetches again what was stopped, and what began meanwhile.
 */
export async function cancelFetches(
  client: QueryClient,
  holds: (query: Query) => boolean,
): Promise<() => Promise<void>> {
  const isFetching = (query: Query) =>
    query.state.fetchStatus !== 'idle' && query.state.data !== undefined && holds(query);
  const stopped = new Set(client.getQueryCache().findAll({ predicate: isFetching }));
  await client.cancelQueries({ predicate: (query) => stopped.has(query) });
  return () => client.invalidateQueries({ predicate: (query) => stopped.has(query) || isFetching(query) });
}

/** A list that is fetched again more often than this while the next page is wanted gives up; pressing again continues. */
const maxAttempts = 10;

/**
 * Fetches the next page of a list. While the list is fetched again, as after a live event, TanStack Query ignores the
 * request for the next page and returns the fetch that is under way; the request is repeated after that.
 */
export async function fetchNextPage(query: UseInfiniteQueryResult<InfiniteData<unknown>>): Promise<void> {
  const pagesBefore = query.data?.pages.length ?? 0;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const { data, isError, hasNextPage } = await query.fetchNextPage({ cancelRefetch: false });
    if (isError || !hasNextPage || (data?.pages.length ?? 0) > pagesBefore) return;
  }
}
