import type { UseInfiniteQueryResult } from '@tanstack/react-query';

/**
 * Fetches the next page of a list. While the list is fetched again, as after a live event, it waits for that first: TanStack
 * Query would ignore the request for the next page, or drop what is being fetched.
 */
export async function fetchNextPage(query: UseInfiniteQueryResult): Promise<void> {
  if (query.isFetching && !query.isFetchingNextPage) await query.refetch({ cancelRefetch: false });
  await query.fetchNextPage({ cancelRefetch: false });
}
