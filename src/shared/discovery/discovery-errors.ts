import type { ErrorTable } from '#shared/core/error-kinds.ts';

/** Search, topics and similar questions. */
export const discoveryErrors = {
  'tag-not-found': ['not-found', 'Topic not found'],
  'search-query-too-long': ['invalid', 'Search query must be {max} characters or fewer'],
  'tags-not-valid': ['invalid', 'Enter up to {max} tags, separated by commas'],
  'too-many-similar-searches': [
    'too-many',
    "You're searching for similar questions too often. Try again in a few minutes.",
  ],
} as const satisfies ErrorTable;
