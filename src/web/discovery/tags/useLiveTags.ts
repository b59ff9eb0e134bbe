import { tagKey } from '#shared/core/text.ts';
import { tagQueryKeys } from '#web/posts/query-keys.ts';
import { type InfiniteData, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import type { TagsEvent } from '#shared/core/events.ts';
import type { Tag, TagSort, TagsPage } from '#shared/discovery/tags.ts';
import { type PendingNewItems, useLiveList, useLiveQuery } from '#web/core/live-list.ts';

/** Pages of topics, which may hold more of each. */
type Pages = InfiniteData<{ items: Tag[]; nextCursor: string | null }>;

/** Keeps the counts of a topic's page as they are on the server. */
export function useLiveTag(tag: string): void {
  const client = useQueryClient();
  const queryKey = tagQueryKeys.one(tag);
  useLiveQuery('topics', queryKey, {
    patch: (event) => client.setQueryData<Tag>(queryKey, (topic) => topic && withCount(topic, event)),
    onMissed: () => void client.invalidateQueries({ queryKey }),
  });
}

/** The same for topics in pages. */
export function useLiveTagPages(queryKey: QueryKey): void {
  const client = useQueryClient();
  useLiveQuery('topics', queryKey, {
    patch: (event) => patchTagPages(client, queryKey, event),
    onMissed: () => void client.invalidateQueries({ queryKey, exact: true }),
  });
}

/** The same for the list of all topics; those that come new enter or wait. */
export function useLiveTags(wanted: { q: string; sort: TagSort }): PendingNewItems {
  const client = useQueryClient();
  const queryKey = tagQueryKeys.list(wanted);
  const loadedPages = () => client.getQueryData<InfiniteData<TagsPage>>(queryKey)?.pages ?? [];
  const isListed = (tag: string) =>
    loadedPages().some((page) => page.items.some((topic) => tagKey(topic.name) === tagKey(tag)));
  const arrivals = useLiveList(queryKey, 'topic', isListed);
  useLiveQuery('topics', queryKey, {
    patch: (event) => {
      patchTagPages(client, queryKey, event);
      if (event.kind === 'topic-asked' && event.questionsCount === 0) leave(event.tag);
    },
    heard(event) {
      if (event.kind === 'imported') arrivals.addMany();
      if (event.kind === 'topic-asked' && event.questionsCount > 0 && isAmongLoaded(event.tag))
        arrivals.addItem(event.tag);
    },
    onMissed: arrivals.refresh,
  });
  return arrivals;

  /** A topic whose last question went is no longer listed. */
  function leave(tag: string): void {
    client.setQueryData<Pages>(queryKey, (data) => {
      if (data === undefined) return data;
      const isOther = (topic: Tag) => tagKey(topic.name) !== tagKey(tag);
      return { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.filter(isOther) })) };
    });
  }

  /** Whether a topic that is not shown has its place among those loaded. */
  function isAmongLoaded(tag: string): boolean {
    if (!tagKey(tag).includes(tagKey(wanted.q))) return false;
    const last = loadedPages().at(-1);
    if (last === undefined) return false;
    if (last.nextCursor === null || wanted.sort === 'active') return true;
    const lastTag = last.items.at(-1)?.name ?? '';
    return wanted.sort === 'alphabetical' && tagKey(tag) < tagKey(lastTag);
  }
}

function withCount(topic: Tag, event: TagsEvent): Tag {
  if (event.kind === 'imported' || tagKey(topic.name) !== tagKey(event.tag)) return topic;
  if (event.kind === 'topic-asked') return { ...topic, questionsCount: event.questionsCount };
  return { ...topic, followersCount: event.followersCount };
}

function patchTagPages(client: QueryClient, queryKey: QueryKey, event: TagsEvent): void {
  client.setQueryData<Pages>(queryKey, (data) => {
    if (data === undefined) return data;
    const pages = data.pages.map((page) => ({
      ...page,
      items: page.items.map((topic) => withCount(topic, event)),
    }));
    return { ...data, pages };
  });
}
