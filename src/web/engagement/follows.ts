import { tagKey } from '#shared/core/text.ts';
import { tagQueryKeys } from '#web/posts/query-keys.ts';
import {
  hashKey,
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
} from '@tanstack/react-query';
import type { MutedChoice } from '#shared/engagement/mutes.ts';
import type { Tag } from '#shared/discovery/tags.ts';
import { api, readJson } from '#web/core/api.ts';
import { cancelFetches } from '#web/core/query-helpers.ts';
import type { QueuedRequestOptions } from '#web/core/offline-queue-sender.ts';

/** Under which keys the cache holds what the member follows. */
export const followKeys = {
  all: ['following'],
  summary: ['following', 'summary'],
  questions: ['following', 'questions'],
  activity: ['following', 'activity'],
  tags: ['following', 'topics'],
  ids: ['following', 'marks'],
} as const;

/** What is done to a topic is sent in its order, one after the other: muting ends following, and following ends muting. */
export const tagMutationScope = (tag: string) => ({ id: `topic ${tagKey(tag)}` });

export const followedSummaryQuery = queryOptions({
  queryKey: followKeys.summary,
  queryFn: ({ signal }) => readJson(api.following.$get({}, { init: { signal } })),
  staleTime: 0,
});

/** All that the member follows: which news are of it. */
export const followsQuery = queryOptions({
  queryKey: followKeys.ids,
  queryFn: ({ signal }) => readJson(api.following.marks.$get({}, { init: { signal } })),
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

/** 'This Week': one page, 10 at most. */
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
    readJson(api.following.topics.$get({ query: cursor === null ? {} : { cursor } }, { init: { signal } })),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.nextCursor,
  staleTime: 0,
});

export function setTagFollow(tag: string, following: boolean, sending: Partial<QueuedRequestOptions>) {
  return readJson(
    api.topics[':tag'].follow.$put({ param: { tag: encodeURIComponent(tag) }, json: { following } }, sending),
  );
}

/** What the member follows has changed, here or in another tab. */
export async function refreshFollows(client: QueryClient): Promise<void> {
  await Promise.all([
    client.invalidateQueries({
      predicate: ({ queryKey: [area, part] }) => area === followKeys.all[0] && part !== followKeys.tags[1],
    }),
    // Not while it is looked at: a topic just left stays in reach until the page is.
    client.invalidateQueries({ queryKey: followKeys.tags, refetchType: 'none' }),
  ]);
}

/**
 * Stops what would bring the topic as it was before the member's click.
 * @returns fetches it again, except for 'My Topics': a topic just left stays in reach there until the page is.
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

/** Sets the button of a topic wherever the cache holds the topic; the member's own click counts at once. */
export function applyTagFollow(client: QueryClient, tag: string, following: boolean): void {
  updateCachedTags(client, tag, (topic) => {
    if (topic.following === following) return topic;
    const followersCount = topic.followersCount + (following ? 1 : -1);
    return { ...topic, following, muted: topic.muted && !following, followersCount };
  });
}

/** The member followed a topic or stopped, maybe elsewhere; its count is told apart from that. */
export function setTagFollowed(client: QueryClient, tag: string, following: boolean): void {
  updateCachedTags(client, tag, (topic) => ({ ...topic, following, muted: topic.muted && !following }));
}

function updateCachedTags(client: QueryClient, tag: string, change: <T extends Tag>(topic: T) => T): void {
  const key = tagKey(tag);
  const set = <T extends Tag>(topic: T): T => (tagKey(topic.name) === key ? change(topic) : topic);
  const inPages = <T extends Tag>(data: Pages<T> | undefined): Pages<T> | undefined =>
    data && { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.map(set) })) };

  client.setQueriesData<Pages<Tag>>({ queryKey: tagQueryKeys.lists }, inPages);
  client.setQueryData<Pages<Tag>>(followKeys.tags, inPages);
  client.setQueryData<Tag>(tagQueryKeys.one(tag), (topic) => topic && set(topic));
}

type Pages<Item> = InfiniteData<{ items: Item[]; nextCursor: string | null }>;
