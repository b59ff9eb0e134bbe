import { type RawBuilder, sql } from 'kysely';

/**
 * Whether a correlated subquery returns a row. It is evaluated per row. For `exists`, PostgreSQL may materialize all
 * matches, such as all questions of a tag for one page of them.
 * @param rows the query from its `from` clause on
 */
export const existsForRow = (rows: RawBuilder<unknown>) =>
  sql<boolean>`coalesce((select true ${rows} limit 1), false)`;

/** A LIKE pattern for texts that contain `part`. Special characters are escaped. */
export function likeContains(part: string): string {
  return `%${likePrefix(part)}`;
}

/** A LIKE pattern for texts that begin with `part`. Special characters are escaped. */
export function likePrefix(part: string): string {
  return `${part.replace(/[\\%_]/g, String.raw`\$&`)}%`;
}

/**
 * The fallback name of a member without one. Every registration provides a name. An email address must never replace
 * it, because names appear in lists, feeds and emails (docs/product.md 3.4).
 */
export const unnamedMember = sql.lit('Member');

/** A time as in API responses: UTC, ISO 8601 with milliseconds. Null stays null. */
export const jsonTime = (time: RawBuilder<unknown>) =>
  sql<string>`to_char(${time} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Returns the row of a statement that always returns one, such as an insert with `returning`. */
export function one<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error('the statement returned no row');
  return row;
}
