import { tagQueryKeys } from '#web/posts/query-keys.ts';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { TagSort } from '#shared/discovery/tags.ts';
import { api, readJson } from '#web/core/api.ts';
import { t } from '@lingui/core/macro';
import { translateServerMessage } from '#web/core/errors.ts';

/** The topics whose name contains `q`; all of them where it is blank. */
export function tagsQuery({ q, sort }: { q: string; sort: TagSort }) {
  return infiniteQueryOptions({
    queryKey: tagQueryKeys.list({ q, sort }),
    queryFn: ({ pageParam: cursor, signal }) =>
      readJson(
        api.topics.$get({ query: { q, sort, ...(cursor === null ? {} : { cursor }) } }, { init: { signal } }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });
}

export function tagQuery(tag: string) {
  return queryOptions({
    queryKey: tagQueryKeys.one(tag),
    queryFn: ({ signal }) =>
      readJson(api.topics[':tag'].$get({ param: { tag: encodeURIComponent(tag) } }, { init: { signal } })),
    staleTime: 0,
  });
}

/** The questions of a topic, newest first. */
export function tagQuestionsQuery(tag: string) {
  return infiniteQueryOptions({
    queryKey: tagQueryKeys.questions(tag),
    queryFn: ({ pageParam: cursor, signal }) =>
      readJson(
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

/** What a topic is about: the words for the known ones, else 'Discussion about {tag}', in the language shown. */
export function translateTagDescription({
  name,
  description,
}: {
  name: string;
  description: string;
}): string {
  return description === `Discussion about ${name}`
    ? t`Discussion about ${name}`
    : translateServerMessage(description);
}
