import { tagQueryKeys } from '#web/posts/index.ts';
import { hashKey, infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { MutedChoice } from '#shared/engagement/mutes.ts';
import { api, readJson } from '#web/core/api.ts';
import { cancelFetches } from '#web/core/query-helpers.ts';
import { followKeys } from './follows.ts';

// Not in follows.ts, which a question page loads before it handles input.

export const followedSummaryQuery = queryOptions({
  queryKey: followKeys.summary,
  queryFn: ({ signal }) => readJson(api.following.$get({}, { init: { signal } })),
  staleTime: 0,
});

/** 'All Questions' (docs/product.md 10.5). */
export function followedQuestionsQuery(muted: MutedChoice) {
  return infiniteQueryOptions({
    queryKey: [...followKeys.questions, muted],
    queryFn: ({ pageParam: cursor, signal }) => {
      const query = { muted, ...(cursor === null ? {} : { cursor }) };
      return readJson(api.following.questions.$get({ query }, { init: { signal } }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });
}

/** 'This Week': one page of at most 10 questions. */
export function recentActivityQuery(muted: MutedChoice) {
  return infiniteQueryOptions({
    queryKey: [...followKeys.activity, muted],
    queryFn: ({ signal }) =>
      readJson(api.following.activity.$get({ query: { muted } }, { init: { signal } })),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });
}

/** 'My Topics', by name. */
export const followedTagsQuery = infiniteQueryOptions({
  queryKey: followKeys.tags,
  queryFn: ({ pageParam: cursor, signal }) =>
    readJson(api.following.tags.$get({ query: cursor === null ? {} : { cursor } }, { init: { signal } })),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.nextCursor,
  staleTime: 0,
});

/**
 * Cancels fetches that could revert the member's click.
 * @returns a function that refetches them, except 'My Topics': a tag just unfollowed stays there until the page is
 * left.
 */
export async function cancelTagFetches(client: QueryClient, tag: string): Promise<() => Promise<void>> {
  const oneKey = hashKey(tagQueryKeys.one(tag));
  await cancelFetches(client, ({ queryHash }) => queryHash === hashKey(followKeys.tags));
  return cancelFetches(
    client,
    ({ queryKey, queryHash }) =>
      queryHash === oneKey ||
      (queryKey[0] === tagQueryKeys.lists[0] && queryKey[1] === tagQueryKeys.lists[1]),
  );
}
