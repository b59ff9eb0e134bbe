import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';

/** A text that was run so often is prepared from then on: PostgreSQL parses it once a connection, and may keep its plan. */
const often = 8;

/** Statements prepared at most, each in every connection; texts counted at most, until counting begins anew. */
const preparedAtMost = 250;
const countedAtMost = 2_000;

/**
 * How a text is best looked for depends on the text, so these are planned each time for what they ask. The many forms
 * that a search takes are each rare, and would only fill the memory of every connection.
 */
const plannedEachTime = /@@|<%|%>|~\*|\b(?:i?like|similarity|search_parsed)\b/iu;

/**
 * Begins statements that look for texts and yet are planned once: their values stand in sub-selects, as in
 * `words @@ (select $1::tsquery)`, where PostgreSQL does not see them when it plans. So its plans for each value and for
 * all values cost the same by its own estimate, and it keeps the latter, which saves as much time as the search takes.
 */
const onceMark = '/* planned once */';
export const plannedOnce = sql.raw(`${onceMark} `);

/** Names by the texts of the statements; null for those that are not to be prepared. */
const names = new Map<string, string | null>();
const counted = new Map<string, number>();

/** A statement as `pg` runs it: with a name where it is worth preparing. */
export function statement(text: string, values: readonly unknown[]): pg.QueryConfig {
  const name = nameOf(text, values.length);
  return name === null ? { text, values: [...values] } : { name, text, values: [...values] };
}

/**
 * Whether a statement failed because a table has changed since it was prepared, as by the migration that a node of the
 * next version ran. From now on it is not prepared, so whoever runs it again succeeds.
 */
export function isOutdated(error: unknown, text: string): boolean {
  const outdated = isOutdatedPlan(error);
  if (outdated) names.set(text, null);
  return outdated;
}

export function isOutdatedPlan(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError && error.code === '0A000' && error.message.startsWith('cached plan')
  );
}

function nameOf(text: string, parameters: number): string | null {
  // Without parameters it may be several statements at once, which cannot be prepared.
  if (parameters === 0) return null;
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= preparedAtMost || (plannedEachTime.test(text) && !text.trimStart().startsWith(onceMark)))
    return null;
  const times = (counted.get(text) ?? 0) + 1;
  if (times < often) {
    if (counted.size >= countedAtMost) counted.clear();
    counted.set(text, times);
    return null;
  }
  counted.delete(text);
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 32);
  names.set(text, name);
  return name;
}
