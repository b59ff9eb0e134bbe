import type { Query, QueryClient, UseInfiniteQueryResult } from '@tanstack/react-query';

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

/**
 * Fetches the next page of a list. While the list is fetched again, as after a live event, it waits for that first: TanStack
 * Query would ignore the request for the next page, or drop what is being fetched.
 */
export async function fetchNextPage(query: UseInfiniteQueryResult): Promise<void> {
  if (query.isFetching && !query.isFetchingNextPage) await query.refetch({ cancelRefetch: false });
  await query.fetchNextPage({ cancelRefetch: false });
}
