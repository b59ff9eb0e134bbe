import { type InfiniteData, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import type { TopicsEvent } from '#shared/events.ts';
import { tagKey } from '#shared/tags.ts';
import type { Topic, Topics, TopicSort } from '#shared/topics.ts';
import { type NewItems, useArrivals, useLiveEntry } from '#web/platform/live-list.ts';
import { topicKeys } from './topics.ts';

/** Pages of topics, which may hold more of each. */
type Pages = InfiniteData<{ items: Topic[]; nextCursor: string | null }>;

/** Keeps the counts of a topic's page as they are on the server. */
export function useLiveTopic(tag: string): void {
  const client = useQueryClient();
  const queryKey = topicKeys.one(tag);
  useLiveEntry('topics', queryKey, {
    patch: (event) => client.setQueryData<Topic>(queryKey, (topic) => topic && counted(topic, event)),
    missed: () => void client.invalidateQueries({ queryKey }),
  });
}

/** The same for topics in pages. */
export function useLiveTopicPages(queryKey: QueryKey): void {
  const client = useQueryClient();
  useLiveEntry('topics', queryKey, {
    patch: (event) => patchPages(client, queryKey, event),
    missed: () => void client.invalidateQueries({ queryKey, exact: true }),
  });
}

/** The same for the list of all topics; those that come new enter or wait. */
export function useLiveTopics(wanted: { q: string; sort: TopicSort }): NewItems {
  const client = useQueryClient();
  const queryKey = topicKeys.list(wanted);
  const held = () => client.getQueryData<InfiniteData<Topics>>(queryKey)?.pages ?? [];
  const holds = (tag: string) =>
    held().some((page) => page.items.some((topic) => tagKey(topic.tag) === tagKey(tag)));
  const arrivals = useArrivals(queryKey, 'topic', holds);
  useLiveEntry('topics', queryKey, {
    patch: (event) => {
      patchPages(client, queryKey, event);
      if (event.kind === 'topic-asked' && event.questionsCount === 0) leave(event.tag);
    },
    heard(event) {
      if (event.kind === 'imported') arrivals.arriveMany();
      if (event.kind === 'topic-asked' && event.questionsCount > 0 && belongs(event.tag))
        arrivals.arrive(event.tag);
    },
    missed: arrivals.refresh,
  });
  return arrivals;

  /** A topic whose last question went is no longer listed. */
  function leave(tag: string): void {
    client.setQueryData<Pages>(queryKey, (data) => {
      if (data === undefined) return data;
      const isOther = (topic: Topic) => tagKey(topic.tag) !== tagKey(tag);
      return { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.filter(isOther) })) };
    });
  }

  /** Whether a topic that is not shown has its place among those loaded. */
  function belongs(tag: string): boolean {
    if (!tagKey(tag).includes(tagKey(wanted.q))) return false;
    const last = held().at(-1);
    if (last === undefined) return false;
    if (last.nextCursor === null || wanted.sort === 'active') return true;
    const lastTag = last.items.at(-1)?.tag ?? '';
    return wanted.sort === 'alphabetical' && tagKey(tag) < tagKey(lastTag);
  }
}

function counted(topic: Topic, event: TopicsEvent): Topic {
  if (event.kind === 'imported' || tagKey(topic.tag) !== tagKey(event.tag)) return topic;
  if (event.kind === 'topic-asked') return { ...topic, questionsCount: event.questionsCount };
  return { ...topic, followersCount: event.followersCount };
}

function patchPages(client: QueryClient, queryKey: QueryKey, event: TopicsEvent): void {
  client.setQueryData<Pages>(queryKey, (data) => {
    if (data === undefined) return data;
    const pages = data.pages.map((page) => ({
      ...page,
      items: page.items.map((topic) => counted(topic, event)),
    }));
    return { ...data, pages };
  });
}
