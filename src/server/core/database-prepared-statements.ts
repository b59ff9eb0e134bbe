import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';

/** A text that was run so often is prepared from then on: PostgreSQL parses it once a connection, and may keep its plan. */
const prepareAfterRuns = 8;

/** Statements prepared at most, each in every connection; texts counted at most, until counting begins anew. */
const maxPrepared = 250;
const maxCounted = 2_000;

/**
 * How a text is best looked for depends on the text, so these are planned each time for what they ask. The many forms
 * that a search takes are each rare, and would only fill the memory of every connection.
 */
const unpreparedPattern = /@@|<%|%>|~\*|\b(?:i?like|similarity|search_parsed)\b/iu;

/**
 * Begins statements that look for texts and yet are planned once: their values stand in sub-selects, as in
 * `words @@ (select $1::tsquery)`, where PostgreSQL does not see them when it plans. So its plans for each value and for
 * all values cost the same by its own estimate, and it keeps the latter, which saves as much time as the search takes.
 */
const planOnceComment = '/* planned once */';
export const planOnceHint = sql.raw(`${planOnceComment} `);

/** Names by the texts of the statements; null for those that are not to be prepared. */
const preparedNames = new Map<string, string | null>();
const runCounts = new Map<string, number>();

/** A statement as `pg` runs it: with a name where it is worth preparing. */
export function toStatement(text: string, values: readonly unknown[]): pg.QueryConfig {
  const name = preparedNameOf(text, values.length);
  return name === null ? { text, values: [...values] } : { name, text, values: [...values] };
}

/**
 * Whether a statement failed because a table has changed since it was prepared, as by the migration that a node of the
 * next version ran. From now on it is not prepared, so whoever runs it again succeeds.
 */
export function forgetOutdatedPlan(error: unknown, text: string): boolean {
  const outdated = isOutdatedPlanError(error);
  if (outdated) preparedNames.set(text, null);
  return outdated;
}

export function isOutdatedPlanError(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError && error.code === '0A000' && error.message.startsWith('cached plan')
  );
}

function preparedNameOf(text: string, parameters: number): string | null {
  // Without parameters it may be several statements at once, which cannot be prepared.
  if (parameters === 0) return null;
  const known = preparedNames.get(text);
  if (known !== undefined) return known;
  if (
    preparedNames.size >= maxPrepared ||
    (unpreparedPattern.test(text) && !text.trimStart().startsWith(planOnceComment))
  )
    return null;
  const times = (runCounts.get(text) ?? 0) + 1;
  if (times < prepareAfterRuns) {
    if (runCounts.size >= maxCounted) runCounts.clear();
    runCounts.set(text, times);
    return null;
  }
  runCounts.delete(text);
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 32);
  preparedNames.set(text, name);
  return name;
}
