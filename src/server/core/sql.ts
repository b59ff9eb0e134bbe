import { type RawBuilder, sql } from 'kysely';

/**
 * Whether a query, which depends on the row around it, finds something. Looks for each row by itself: of `exists` PostgreSQL
 * may make a table of all that it could find, of a whole topic's questions for one page of them.
 * @param rows without what comes before its `from`
 */
export const existsForRow = (rows: RawBuilder<unknown>) =>
  sql<boolean>`coalesce((select true ${rows} limit 1), false)`;

/** A LIKE pattern for texts that contain `part`, whatever characters it has. */
export function likeContains(part: string): string {
  return `%${likePrefix(part)}`;
}

/** A LIKE pattern for texts that begin with `part`, whatever characters it has. */
export function likePrefix(part: string): string {
  return `${part.replace(/[\\%_]/g, String.raw`\$&`)}%`;
}

/** A LIKE pattern for texts that begin with `part`. */
export function likeStarts(part: string): string {
  return likeContains(part).slice(1);
}

/**
 * What a member without a name is called. Every way to register gives one; an email address must never stand in for it,
 * because names are in lists, feeds and mails (docs/product.md 3.4).
 */
export const unnamedMember = sql.lit('Member');
