import { tagKey } from '#shared/core/text.ts';
import { tagQueryKeys } from '#web/posts/index.ts';
import { type InfiniteData, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { Tag } from '#shared/discovery/tags.ts';
import { api, readJson } from '#web/core/api.ts';
import type { QueuedRequestOptions } from '#web/core/send-or-queue.ts';

/** The query keys of what the member follows. */
export const followKeys = {
  all: ['following'],
  summary: ['following', 'summary'],
  questions: ['following', 'questions'],
  activity: ['following', 'activity'],
  tags: ['following', 'tags'],
  ids: ['following', 'ids'],
} as const;

/** Changes to a tag are sent one after another, because muting a tag unfollows it and following a tag unmutes it. */
export const tagMutationScope = (tag: string) => ({ id: `tag ${tagKey(tag)}` });

/** All follows of the member, to decide which events concern them. */
export const followsQuery = queryOptions({
  queryKey: followKeys.ids,
  queryFn: ({ signal }) => readJson(api.follows.$get({}, { init: { signal } })),
  staleTime: 0,
});

export function setTagFollow(tag: string, following: boolean, sending: Partial<QueuedRequestOptions>) {
  return readJson(
    api.tags[':tag'].follow.$put({ param: { tag: encodeURIComponent(tag) }, json: { following } }, sending),
  );
}

/** Refetches the follows after a change, here or in another tab. */
export async function refreshFollows(client: QueryClient): Promise<void> {
  await Promise.all([
    client.invalidateQueries({
      predicate: ({ queryKey: [area, part] }) => area === followKeys.all[0] && part !== followKeys.tags[1],
    }),
    // Not while it is shown: a tag just unfollowed stays on the page until it is left.
    client.invalidateQueries({ queryKey: followKeys.tags, refetchType: 'none' }),
  ]);
}

/** Sets the follow state of a tag everywhere in the cache and adjusts its count for the member's own click. */
export function applyOwnTagFollow(client: QueryClient, tag: string, following: boolean): void {
  updateCachedTags(client, tag, (cached) => {
    if (cached.following === following) return cached;
    const followersCount = cached.followersCount + (following ? 1 : -1);
    return { ...cached, following, muted: cached.muted && !following, followersCount };
  });
}

/** Sets the follow state of a tag that may have changed elsewhere. Its count has an event of its own. */
export function applyTagFollowEvent(client: QueryClient, tag: string, following: boolean): void {
  updateCachedTags(client, tag, (cached) => ({ ...cached, following, muted: cached.muted && !following }));
}

function updateCachedTags(client: QueryClient, tag: string, change: <T extends Tag>(cached: T) => T): void {
  const key = tagKey(tag);
  const set = <T extends Tag>(cached: T): T => (tagKey(cached.name) === key ? change(cached) : cached);
  const inPages = <T extends Tag>(data: Pages<T> | undefined): Pages<T> | undefined =>
    data && { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.map(set) })) };

  client.setQueriesData<Pages<Tag>>({ queryKey: tagQueryKeys.lists }, inPages);
  client.setQueryData<Pages<Tag>>(followKeys.tags, inPages);
  client.setQueryData<Tag>(tagQueryKeys.one(tag), (cached) => cached && set(cached));
}

type Pages<Item> = InfiniteData<{ items: Item[]; nextCursor: string | null }>;
