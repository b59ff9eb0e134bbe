import { tagKey } from '#shared/core/text.ts';
import { tagQueryKeys } from '#web/posts/index.ts';
import { hashKey, type InfiniteData, type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import type { FeedPage, MutedTags, MutedChoice } from '#shared/engagement/mutes.ts';
import { followKeys, followsQuery } from './follows.ts';
import { muteKeys } from './question-mutes.ts';
import { api, readJson } from '#web/core/api.ts';
import { cancelFetches } from '#web/core/query-helpers.ts';
import type { Tag } from '#shared/discovery/tags.ts';
import { useMember } from '#web/core/session.ts';

export const mutedTagsQuery = queryOptions({
  queryKey: muteKeys.tags,
  queryFn: ({ signal }) => readJson(api.mutes.tags.$get({}, { init: { signal } })),
});

export function setTagMute(tag: string, muted: boolean) {
  return readJson(api.tags[':tag'].mute.$put({ param: { tag: encodeURIComponent(tag) }, json: { muted } }));
}

/** Refetches mutes and feeds after a change, here or in another tab. */
export async function refreshMutes(client: QueryClient): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: muteKeys.all }),
    client.invalidateQueries({ queryKey: ['feed'] }),
    client.invalidateQueries({ queryKey: followKeys.all }),
  ]);
}

/** Cancels fetches that could revert the muting of a tag. The caller refetches. */
export async function cancelMuteFetches(client: QueryClient, tag: string): Promise<void> {
  const hashes = new Set([tagQueryKeys.one(tag), muteKeys.tags].map(hashKey));
  await cancelFetches(client, ({ queryHash }) => hashes.has(queryHash));
}

/** Sets the mute state of a tag optimistically; muting also unfollows it. */
export function applyTagMute(client: QueryClient, tag: string, muted: boolean): void {
  client.setQueryData<Tag>(tagQueryKeys.one(tag), (topic) => {
    if (topic === undefined || topic.muted === muted) return topic;
    const unfollowed = muted && topic.following ? 1 : 0;
    return {
      ...topic,
      muted,
      following: topic.following && !muted,
      followersCount: topic.followersCount - unfollowed,
    };
  });
  client.setQueryData<MutedTags>(muteKeys.tags, (data) => {
    if (data === undefined) return data;
    const others = data.items.filter((each) => tagKey(each.tag) !== tagKey(tag));
    return { items: muted ? [{ tag, mutedAt: new Date().toISOString() }, ...others] : others };
  });
}

/** How many questions the loaded pages of a feed left out. */
export function countMuted(data: InfiniteData<FeedPage> | undefined): number {
  return data?.pages.reduce((sum, page) => sum + page.mutedCount, 0) ?? 0;
}

type TaggedQuestion = { questionId: number; tags: readonly string[]; authorId?: number };

/**
 * Returns a function that says whether to ignore live events of a question because its tags are muted. The server
 * decides what the list contains.
 */
export function useIsMuted(muted: MutedChoice): (question: TaggedQuestion) => boolean {
  const memberId = useMember()?.id;
  const { data: mutes } = useQuery({ ...mutedTagsQuery, enabled: memberId !== undefined });
  const tagNames = new Set(muted === 'show' ? [] : mutes?.items.map(({ tag }) => tagKey(tag)));
  const { data: followed } = useQuery({ ...followsQuery, enabled: tagNames.size > 0 });
  return ({ questionId, tags, authorId }) =>
    tags.some((tag) => tagNames.has(tagKey(tag))) &&
    (authorId === undefined || authorId !== memberId) &&
    followed?.questions.includes(questionId) !== true;
}
