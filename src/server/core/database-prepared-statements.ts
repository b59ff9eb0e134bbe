import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';

/**
 * A statement is prepared after this many runs. PostgreSQL then parses it once per connection and may reuse its plan.
 */
const prepareAfterRuns = 8;

/**
 * The maximum number of prepared statements per connection, and of statement texts counted before the counts are reset.
 */
const maxPrepared = 250;
const maxCounted = 2_000;

/**
 * The best plan of these search conditions depends on the value, so they are planned for each run. The many variants of
 * search statements are also too rare to be worth the memory of every connection.
 */
const unpreparedPattern = /@@|<%|%>|~\*|\b(?:i?like|similarity|search_parsed)\b/iu;

/**
 * Marks search statements that use one plan for all values. Their values are in subqueries, such as `words @@ (select
 * $1::tsquery)`, so PostgreSQL cannot see them while planning. The generic plan then has the same estimated cost as a
 * custom plan and is reused. Planning would take as long as the search itself.
 */
const planOnceComment = '/* planned once */';
export const planOnceHint = sql.raw(`${planOnceComment} `);

/** The name of each prepared statement by its text. Null for statements that are never prepared. */
const preparedNames = new Map<string, string | null>();
const runCounts = new Map<string, number>();

/** A statement for `pg`, with a name if it should be prepared. */
export function toStatement(text: string, values: readonly unknown[]): pg.QueryConfig {
  const name = preparedNameOf(text, values.length);
  return name === null ? { text, values: [...values] } : { name, text, values: [...values] };
}

/**
 * Whether a prepared statement failed because a table has changed since, for example by a migration of a newer node.
 * The statement is not prepared any more, so a retry succeeds.
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
  // Without parameters the text may contain several statements, which cannot be prepared.
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
