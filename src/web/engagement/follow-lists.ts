import { tagQueryKeys } from '#web/posts/index.ts';
import { hashKey, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { MutedChoice } from '#shared/engagement/mutes.ts';
import { api, readJson } from '#web/core/api.ts';
import { pagedQuery } from '#web/core/paged-query.ts';
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
  return pagedQuery([...followKeys.questions, muted], (page, options) => {
    const query = { muted, ...page };
    return readJson(api.following.questions.$get({ query }, options));
  });
}

/** 'This Week': one page of at most 10 questions. */
export function recentActivityQuery(muted: MutedChoice) {
  return pagedQuery([...followKeys.activity, muted], (_, options) =>
    readJson(api.following.activity.$get({ query: { muted } }, options)),
  );
}

/** 'My Topics', by name. */
export const followedTagsQuery = pagedQuery(followKeys.tags, (page, options) =>
  readJson(api.following.tags.$get({ query: page }, options)),
);

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
