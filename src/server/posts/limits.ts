import type { Database } from '#server/platform/database.ts';
import { memberLimit } from '#server/platform/rate-limits.ts';

export type PostingLimits = ReturnType<typeof createPostingLimits>;

/**
 * Against floods, not against busy people: 30 questions, 60 answers or replies and 300 votes in ten minutes are never
 * refused (DECISIONS section 8.5); these stand at twice that.
 */
export function createPostingLimits(db: Database) {
  const seconds = 10 * 60;
  return {
    ask: memberLimit(db, { name: 'ask', what: 'asked', points: 60, seconds }),
    write: memberLimit(db, { name: 'write', what: 'written', points: 120, seconds }),
    // Somebody who types without a pause asks some 900 times in ten minutes.
    compare: memberLimit(db, {
      name: 'compare',
      what: 'looked for similar questions',
      points: 1200,
      seconds,
    }),
    vote: memberLimit(db, { name: 'vote', what: 'voted', points: 600, seconds }),
  };
}
