import { tagKey } from '#shared/core/text.ts';
import { tagQueryKeys } from '#web/posts/index.ts';
import { type InfiniteData, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import type { TagsEvent } from '#shared/core/events.ts';
import type { Tag, TagSort, TagsPage } from '#shared/discovery/tags.ts';
import { type PendingNewItems, useLiveList } from '#web/core/live-list.ts';
import { useLiveQuery } from '#web/core/live-query.ts';

/** Pages of tags, whose items may have more fields. */
type Pages = InfiniteData<{ items: Tag[]; nextCursor: string | null }>;

/** Updates the counts on a tag's page live. */
export function useLiveTag(tag: string): void {
  const client = useQueryClient();
  const queryKey = tagQueryKeys.one(tag);
  useLiveQuery('tags', queryKey, {
    patch: (event) =>
      client.setQueryData<Tag>(queryKey, (shown) => {
        const patched = shown && withCount(shown, event);
        // Undefined sets nothing. The same data again would end the error of a tag that is no longer there.
        return patched === shown ? undefined : patched;
      }),
    onEvent: (event) => {
      if (event.kind === 'tag-changed' && tagKey(event.tag) === tagKey(tag))
        void client.invalidateQueries({ queryKey });
    },
    onMissed: () => void client.invalidateQueries({ queryKey }),
  });
}

/** Updates the counts in paged lists of tags live. */
export function useLiveTagPages(queryKey: QueryKey): void {
  const client = useQueryClient();
  useLiveQuery('tags', queryKey, {
    patch: (event) => patchTagPages(client, queryKey, event),
    onMissed: () => void client.invalidateQueries({ queryKey, exact: true }),
  });
}

/** Updates the list of all tags live. New tags appear or are held back. */
export function useLiveTags(wanted: { q: string; sort: TagSort }): PendingNewItems {
  const client = useQueryClient();
  const queryKey = tagQueryKeys.list(wanted);
  const loadedPages = () => client.getQueryData<InfiniteData<TagsPage>>(queryKey)?.pages ?? [];
  const isListed = (tag: string) =>
    loadedPages().some((page) => page.items.some((listedTag) => tagKey(listedTag.name) === tagKey(tag)));
  const arrivals = useLiveList(queryKey, 'tag', isListed);
  useLiveQuery('tags', queryKey, {
    patch: (event) => {
      patchTagPages(client, queryKey, event);
      if (event.kind === 'tag-questions-changed' && event.questionsCount === 0) leave(event.tag);
    },
    onEvent(event) {
      if (event.kind === 'imported') arrivals.addMany();
      if (event.kind === 'tag-changed') arrivals.refresh();
      if (event.kind === 'tag-questions-changed' && event.questionsCount > 0 && isAmongLoaded(event.tag))
        arrivals.addItem(event.tag);
    },
    onMissed: arrivals.refresh,
  });
  return arrivals;

  /** A tag without questions is not listed. */
  function leave(tag: string): void {
    client.setQueryData<Pages>(queryKey, (data) => {
      if (data === undefined) return data;
      const isOther = (listedTag: Tag) => tagKey(listedTag.name) !== tagKey(tag);
      return { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.filter(isOther) })) };
    });
  }

  /** Whether an unlisted tag sorts within the loaded part. */
  function isAmongLoaded(tag: string): boolean {
    if (!tagKey(tag).includes(tagKey(wanted.q))) return false;
    const last = loadedPages().at(-1);
    if (last === undefined) return false;
    if (last.nextCursor === null || wanted.sort === 'active') return true;
    const lastTag = last.items.at(-1)?.name ?? '';
    return wanted.sort === 'alphabetical' && tagKey(tag) < tagKey(lastTag);
  }
}

function withCount(tag: Tag, event: TagsEvent): Tag {
  if (event.kind === 'imported' || tagKey(tag.name) !== tagKey(event.tag)) return tag;
  if (event.kind === 'tag-questions-changed') return { ...tag, questionsCount: event.questionsCount };
  return event.kind === 'tag-followers-changed' ? { ...tag, followersCount: event.followersCount } : tag;
}

function patchTagPages(client: QueryClient, queryKey: QueryKey, event: TagsEvent): void {
  client.setQueryData<Pages>(queryKey, (data) => {
    if (data === undefined) return data;
    const pages = data.pages.map((page) => ({
      ...page,
      items: page.items.map((tag) => withCount(tag, event)),
    }));
    return { ...data, pages };
  });
}
