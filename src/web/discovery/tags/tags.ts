import { tagKey } from '#shared/core/text.ts';
import { i18n } from '@lingui/core';
import { tagQueryKeys } from '#web/posts/index.ts';
import { queryOptions } from '@tanstack/react-query';
import type { TagSort } from '#shared/discovery/tags.ts';
import { combineTag, combineTagsPage } from '#shared/discovery/viewer.ts';
import { getTagDescription } from '#shared/posts/tags.ts';
import { combineQuestionCards } from '#shared/posts/questions-viewer.ts';
import { api, readJson } from '#web/core/api.ts';
import { pagedQuery } from '#web/core/paged-query.ts';
import { t } from '@lingui/core/macro';

/** The tags whose name contains `q`; all tags if it is blank. */
export function tagsQuery({ q, sort, after = null }: { q: string; sort: TagSort; after?: string | null }) {
  return pagedQuery(
    tagQueryKeys.list({ q, sort }),
    async (page, options) => {
      const query = { ...(q.trim() !== '' && { q }), sort, ...page };
      const [document, viewer] = await Promise.all([
        readJson(api.tags.$get({ query }, options)),
        readJson(api.viewer.tags.$get({ query }, options)),
      ]);
      return combineTagsPage(document, viewer);
    },
    after,
  );
}

export function tagQuery(tag: string) {
  return queryOptions({
    queryKey: tagQueryKeys.one(tag),
    queryFn: async ({ signal }) => {
      const param = { tag: encodeURIComponent(tag) };
      const [document, viewer] = await Promise.all([
        readJson(api.tags[':tag'].$get({ param }, { init: { signal } })),
        readJson(api.viewer.tags[':tag'].$get({ param }, { init: { signal } })),
      ]);
      return combineTag(document, viewer);
    },
    staleTime: 0,
  });
}

/** The questions with a tag, newest first. */
export function tagQuestionsQuery(tag: string, after: string | null = null) {
  return pagedQuery(
    tagQueryKeys.questions(tag),
    async (page, options) => {
      const wanted = { param: { tag: encodeURIComponent(tag) }, query: page };
      const [document, viewer] = await Promise.all([
        readJson(api.tags[':tag'].questions.$get(wanted, options)),
        readJson(api.viewer.tags[':tag'].questions.$get(wanted, options)),
      ]);
      return combineQuestionCards(document, viewer);
    },
    after,
  );
}

/**
 * The description of a tag in the current language, if moderators have not written one: fixed for known tags, otherwise
 * 'Discussion about {tag}' (docs/product.md 9.4).
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
  return description === getTagDescription(name) && id in i18n.messages ? i18n._(id) : description;
}
