import { tagKey } from '#shared/core/text.ts';
import type { TagSort } from '#shared/discovery/tags.ts';

/** Cached lists of drafts. */
export const draftKeys = { all: ['drafts'] as const };

/** Under which keys the cache holds topics; what patches it uses these. */
export const tagQueryKeys = {
  all: ['topics'],
  lists: ['topics', 'list'],
  list: (wanted: { q: string; sort: TagSort }) => ['topics', 'list', wanted],
  one: (tag: string) => ['topics', 'one', tagKey(tag)],
  questions: (tag: string) => ['topics', 'questions', tagKey(tag)],
} as const;
