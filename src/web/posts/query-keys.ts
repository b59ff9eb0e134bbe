import { tagKey } from '#shared/core/text.ts';
import type { TagSort } from '#shared/discovery/tags.ts';

/** The query keys of lists of drafts. */
export const draftKeys = { all: ['drafts'] as const };

/** The query keys of tags. Live updates use them too. */
export const tagQueryKeys = {
  all: ['tags'],
  lists: ['tags', 'list'],
  list: (wanted: { q: string; sort: TagSort }) => ['tags', 'list', wanted],
  one: (tag: string) => ['tags', 'one', tagKey(tag)],
  questions: (tag: string) => ['tags', 'questions', tagKey(tag)],
} as const;

/** The query key of hidden and held posts, by question. */
export const hiddenPostsKey = ['moderation', 'hidden'] as const;
