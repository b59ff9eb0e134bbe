import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';

/** Called with each statement (with placeholders for values) and its duration in milliseconds. */
export type StatementObserver = (statement: string, milliseconds: number) => void;

export type StatementOptions = {
  onStatement?: StatementObserver | undefined;
  /** Which statements are prepared: frequent ones, those with `planOnceHint` only, or none (with a pooler). */
  prepares?: 'frequent' | 'marked' | 'none' | undefined;
  /** How long to wait for the response of a statement, in milliseconds. Default: for ever. */
  responseTimeoutMs?: number | undefined;
};

/** Runs a statement, as a prepared one if the options say so. */
export async function runStatement(
  client: Pick<pg.ClientBase, 'query'>,
  { text, values }: { text: string; values: readonly unknown[] },
  { onStatement, prepares = 'frequent', responseTimeoutMs }: StatementOptions = {},
): Promise<pg.QueryResult> {
  const start = performance.now();
  const unprepared = {
    text,
    values: [...values],
    ...(responseTimeoutMs !== undefined && { query_timeout: responseTimeoutMs }),
  };
  const name = values.length > 0 && isPrepared(text, prepares) ? preparedNameOf(text) : null;
  try {
    return await client.query(name === null ? unprepared : { name, ...unprepared });
  } catch (error) {
    if (!isOutdatedPlanError(error)) throw error;
    // A table has changed, for example by a migration of a newer node.
    preparedNames.set(text, null);
    // In a transaction, which has failed, `transaction()` (database.ts) retries all of it.
    return await client.query(unprepared).catch(() => {
      throw error;
    });
  } finally {
    onStatement?.(text, performance.now() - start);
  }
}

export function isOutdatedPlanError(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError && error.code === '0A000' && error.message.startsWith('cached plan')
  );
}

/**
 * Marks search statements that use one plan for all values. Their values are in subqueries, such as `words @@ (select
 * $1::tsquery)`, so PostgreSQL cannot see them while planning. The generic plan then has the same estimated cost as a
 * custom plan and is reused. Planning would take as long as the search itself. Other searches are planned for each run,
 * because their best plan depends on the words.
 */
const planOnceComment = '/* planned once */';
export const planOnceHint = sql.raw(`${planOnceComment} `);

const isPrepared = (text: string, prepares: StatementOptions['prepares']) =>
  prepares === 'frequent' || (prepares === 'marked' && text.includes(planOnceComment));

/** A statement is prepared after this many runs: PostgreSQL then parses it once per connection and may reuse its plan. */
const prepareAfterRuns = 8;

/**
 * The maximum number of prepared statements, each of which uses memory of every connection, and of statement texts
 * counted before the counts are reset.
 */
const maxPrepared = 250;
const maxCounted = 2_000;

/** The name of each prepared statement by its text. Null for statements that are never prepared. */
const preparedNames = new Map<string, string | null>();
const runCounts = new Map<string, number>();

function preparedNameOf(text: string): string | null {
  const known = preparedNames.get(text);
  if (known !== undefined || preparedNames.size >= maxPrepared) return known ?? null;
  const runs = (runCounts.get(text) ?? 0) + 1;
  if (runs < prepareAfterRuns) {
    if (runCounts.size >= maxCounted) runCounts.clear();
    runCounts.set(text, runs);
    return null;
  }
  runCounts.delete(text);
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 32);
  preparedNames.set(text, name);
  return name;
}
