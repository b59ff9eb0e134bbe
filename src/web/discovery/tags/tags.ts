import { tagKey } from '#shared/core/text.ts';
import { i18n } from '@lingui/core';
import { tagQueryKeys } from '#web/posts/index.ts';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { TagSort } from '#shared/discovery/tags.ts';
import { api, readJson } from '#web/core/api.ts';
import { t } from '@lingui/core/macro';

/** The tags whose name contains `q`; all tags if it is blank. */
export function tagsQuery({ q, sort }: { q: string; sort: TagSort }) {
  return infiniteQueryOptions({
    queryKey: tagQueryKeys.list({ q, sort }),
    queryFn: ({ pageParam: cursor, signal }) =>
      readJson(
        api.tags.$get({ query: { q, sort, ...(cursor === null ? {} : { cursor }) } }, { init: { signal } }),
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
      readJson(api.tags[':tag'].$get({ param: { tag: encodeURIComponent(tag) } }, { init: { signal } })),
    staleTime: 0,
  });
}

/** The questions with a tag, newest first. */
export function tagQuestionsQuery(tag: string) {
  return infiniteQueryOptions({
    queryKey: tagQueryKeys.questions(tag),
    queryFn: ({ pageParam: cursor, signal }) =>
      readJson(
        api.tags[':tag'].questions.$get(
          { param: { tag: encodeURIComponent(tag) }, query: cursor === null ? {} : { cursor } },
          { init: { signal } },
        ),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });
}

/**
 * The description of a tag in the current language: fixed for known tags, otherwise 'Discussion about {tag}'
 * (docs/product.md 9.4).
 */
export function translateTagDescription({
  name,
  description,
}: {
  name: string;
  description: string;
}): string {
  if (description === `Discussion about ${name}`) return t`Discussion about ${name}`;
  const id = `tag.${tagKey(name)}`;
  return id in i18n.messages ? i18n._(id) : description;
}
