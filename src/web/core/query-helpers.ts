import type { InfiniteData, Query, QueryClient, UseInfiniteQueryResult } from '@tanstack/react-query';

/**
 * Cancels fetches whose response could briefly revert a change the member just made, because the server may have read
 * the data before the change. Queries without data continue.
 * @param matches whether a query contains the item to change.
 * @returns a function that refetches what was cancelled and what began meanwhile.
 */
export async function cancelFetches(
  client: QueryClient,
  matches: (query: Query) => boolean,
): Promise<() => Promise<void>> {
  const isFetching = (query: Query) =>
    query.state.fetchStatus !== 'idle' && query.state.data !== undefined && matches(query);
  const stopped = new Set(client.getQueryCache().findAll({ predicate: isFetching }));
  await client.cancelQueries({ predicate: (query) => stopped.has(query) });
  return () => client.invalidateQueries({ predicate: (query) => stopped.has(query) || isFetching(query) });
}

/**
 * The maximum number of attempts for a next page while the list is being refetched. Pressing the button again
 * continues.
 */
const maxAttempts = 10;

/**
 * Fetches the next page of a list. While the list is being refetched, for example after a live event, TanStack Query
 * ignores `fetchNextPage` and returns the fetch under way, so the request is repeated after that.
 */
export async function fetchNextPage(query: UseInfiniteQueryResult<InfiniteData<unknown>>): Promise<void> {
  const pagesBefore = query.data?.pages.length ?? 0;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const { data, isError, hasNextPage } = await query.fetchNextPage({ cancelRefetch: false });
    if (isError || !hasNextPage || (data?.pages.length ?? 0) > pagesBefore) return;
  }
}
