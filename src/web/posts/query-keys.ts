/** Cached lists of drafts. */
export const draftKeys = { all: ['drafts'] as const };
