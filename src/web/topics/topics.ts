import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { tagKey } from '#shared/tags.ts';
import type { TopicSort } from '#shared/topics.ts';
import { api, read } from '#web/platform/api.ts';

/** Under which keys the cache holds topics; what patches it uses these. */
export const topicKeys = {
  all: ['topics'],
  lists: ['topics', 'list'],
  list: (wanted: { q: string; sort: TopicSort }) => ['topics', 'list', wanted],
  one: (tag: string) => ['topics', 'one', tagKey(tag)],
  questions: (tag: string) => ['topics', 'questions', tagKey(tag)],
} as const;

/** The topics whose name contains `q`; all of them where it is blank. */
export function topicsQuery({ q, sort }: { q: string; sort: TopicSort }) {
  return infiniteQueryOptions({
    queryKey: topicKeys.list({ q, sort }),
    queryFn: ({ pageParam: cursor, signal }) =>
      read(
        api.topics.$get({ query: { q, sort, ...(cursor === null ? {} : { cursor }) } }, { init: { signal } }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });
}

export function topicQuery(tag: string) {
  return queryOptions({
    queryKey: topicKeys.one(tag),
    queryFn: ({ signal }) =>
      read(api.topics[':tag'].$get({ param: { tag: encodeURIComponent(tag) } }, { init: { signal } })),
    staleTime: 0,
  });
}

/** The questions of a topic, newest first. */
export function topicQuestionsQuery(tag: string) {
  return infiniteQueryOptions({
    queryKey: topicKeys.questions(tag),
    queryFn: ({ pageParam: cursor, signal }) =>
      read(
        api.topics[':tag'].questions.$get(
          { param: { tag: encodeURIComponent(tag) }, query: cursor === null ? {} : { cursor } },
          { init: { signal } },
        ),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });
}
