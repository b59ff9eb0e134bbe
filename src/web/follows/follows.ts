import {
  hashKey,
  infiniteQueryOptions,
  queryOptions,
  type InfiniteData,
  type QueryClient,
} from '@tanstack/react-query';
import type { MutedChoice } from '#shared/mutes.ts';
import { tagKey } from '#shared/tags.ts';
import type { Topic } from '#shared/topics.ts';
import { api, read } from '#web/platform/api.ts';
import { stopFetches } from '#web/platform/stop-fetches.ts';
import type { Sending } from '#web/platform/send-waiting.ts';
import { topicKeys } from '#web/topics/topics.ts';

/** Under which keys the cache holds what the member follows. */
export const followKeys = {
  all: ['following'],
  summary: ['following', 'summary'],
  questions: ['following', 'questions'],
  activity: ['following', 'activity'],
  topics: ['following', 'topics'],
  marks: ['following', 'marks'],
} as const;

/** What is done to a topic is sent in its order, one after the other: muting ends following, and following ends muting. */
export const topicScope = (tag: string) => ({ id: `topic ${tagKey(tag)}` });

export const followedSummaryQuery = queryOptions({
  queryKey: followKeys.summary,
  queryFn: ({ signal }) => read(api.following.$get({}, { init: { signal } })),
  staleTime: 0,
});

/** All that the member follows: which news are of it. */
export const followedMarksQuery = queryOptions({
  queryKey: followKeys.marks,
  queryFn: ({ signal }) => read(api.following.marks.$get({}, { init: { signal } })),
  staleTime: 0,
});

/** 'All Questions' (docs/product.md 10.5). */
export function followedQuestionsQuery(muted: MutedChoice) {
  return infiniteQueryOptions({
    queryKey: [...followKeys.questions, muted],
    queryFn: ({ pageParam: cursor, signal }) => {
      const query = { muted, ...(cursor === null ? {} : { cursor }) };
      return read(api.following.questions.$get({ query }, { init: { signal } }));
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
    queryFn: ({ signal }) => read(api.following.activity.$get({ query: { muted } }, { init: { signal } })),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });
}

/** 'My Topics', by name. */
export const followedTopicsQuery = infiniteQueryOptions({
  queryKey: followKeys.topics,
  queryFn: ({ pageParam: cursor, signal }) =>
    read(api.following.topics.$get({ query: cursor === null ? {} : { cursor } }, { init: { signal } })),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.nextCursor,
  staleTime: 0,
});

export function setFollowTopic(tag: string, following: boolean, sending: Partial<Sending>) {
  return read(
    api.topics[':tag'].follow.$put({ param: { tag: encodeURIComponent(tag) }, json: { following } }, sending),
  );
}

/** What the member follows has changed, here or in another tab. */
export async function refreshFollowed(client: QueryClient): Promise<void> {
  await Promise.all([
    client.invalidateQueries({
      predicate: ({ queryKey: [area, part] }) => area === followKeys.all[0] && part !== followKeys.topics[1],
    }),
    // Not while it is looked at: a topic just left stays in reach until the page is.
    client.invalidateQueries({ queryKey: followKeys.topics, refetchType: 'none' }),
  ]);
}

/**
 * Stops what would bring the topic as it was before the member's click.
 * @returns fetches it again, except for 'My Topics': a topic just left stays in reach there until the page is.
 */
export async function stopTopics(client: QueryClient, tag: string): Promise<() => Promise<void>> {
  const oneKey = hashKey(topicKeys.one(tag));
  await stopFetches(client, ({ queryHash }) => queryHash === hashKey(followKeys.topics));
  return stopFetches(
    client,
    ({ queryKey, queryHash }) =>
      queryHash === oneKey || (queryKey[0] === topicKeys.lists[0] && queryKey[1] === topicKeys.lists[1]),
  );
}

/** Sets the button of a topic wherever the cache holds the topic; the member's own click counts at once. */
export function showFollowing(client: QueryClient, tag: string, following: boolean): void {
  changeTopics(client, tag, (topic) => {
    if (topic.following === following) return topic;
    const followersCount = topic.followersCount + (following ? 1 : -1);
    return { ...topic, following, muted: topic.muted && !following, followersCount };
  });
}

/** The member followed a topic or stopped, maybe elsewhere; its count is told apart from that. */
export function markFollowed(client: QueryClient, tag: string, following: boolean): void {
  changeTopics(client, tag, (topic) => ({ ...topic, following, muted: topic.muted && !following }));
}

function changeTopics(client: QueryClient, tag: string, change: <T extends Topic>(topic: T) => T): void {
  const key = tagKey(tag);
  const set = <T extends Topic>(topic: T): T => (tagKey(topic.tag) === key ? change(topic) : topic);
  const inPages = <T extends Topic>(data: Pages<T> | undefined): Pages<T> | undefined =>
    data && { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.map(set) })) };

  client.setQueriesData<Pages<Topic>>({ queryKey: topicKeys.lists }, inPages);
  client.setQueryData<Pages<Topic>>(followKeys.topics, inPages);
  client.setQueryData<Topic>(topicKeys.one(tag), (topic) => topic && set(topic));
}

type Pages<Item> = InfiniteData<{ items: Item[]; nextCursor: string | null }>;
