import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { invalidFieldError } from './errors.ts';

/**
 * A position in a list: the sort key and id of the last item seen. Clients treat it as opaque (base64url of JSON). It
 * is validated because clients can send anything.
 */
export type Cursor = {
  after: number;
  id: number;
  /** For lists sorted by score first and then by `after`. */ score?: number;
};

/** A count, or a time in milliseconds that both JavaScript and PostgreSQL can represent: from year 1 on. */
const key = z.int().min(-62_135_596_800_000).max(8.64e15);
const shape = z.union([z.tuple([key, z.int()]), z.tuple([key, z.int(), z.int()])]);

export function encodeCursor({ after, id, score }: Cursor): string {
  const position = score === undefined ? [after, id] : [after, id, score];
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** The same in SQL. Its parts are integers or null. */
export const encodeCursorInSql = (...parts: readonly RawBuilder<unknown>[]) =>
  sql<string>`rtrim(translate(encode(convert_to(json_build_array(${sql.join(parts)})::text, 'UTF8'), 'base64'), '+/', '-_'), '=')`;

/**
 * Parses a cursor.
 * @throws ProblemError 'invalid' if the text is not a valid cursor
 */
export function decodeCursor(text: string | undefined): Cursor | null {
  if (text === undefined) return null;
  try {
    const position = shape.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
    const [after, id, score] = position;
    return score === undefined ? { after, id } : { after, id, score };
  } catch {
    throw invalidFieldError('cursor', 'cursor-not-valid');
  }
}

/**
 * Cuts a list that was read with one row more than the page size. Returns the page and the cursor after its last row.
 */
export function paginate<Row>(rows: readonly Row[], size: number, position: (row: Row) => Cursor) {
  const items = rows.slice(0, size);
  const last = items.at(-1);
  const nextCursor = rows.length > size && last !== undefined ? encodeCursor(position(last)) : null;
  return { items, nextCursor };
}

/**
 * Returns a page of a list in the order of its ids.
 * @param list reads at most `limit` rows after the row with the id `last`; null: from the first row on
 */
export async function pageById<Row extends { id: number }>(
  cursor: string | undefined,
  size: number,
  list: (last: number | null, limit: number) => Promise<readonly Row[]>,
) {
  const rows = await list(decodeCursor(cursor)?.id ?? null, size + 1);
  return paginate(rows, size, ({ id }) => ({ after: 0, id }));
}

/** SQL: the condition on the id of a row for a list that begins with the highest one. */
export const isBefore = (id: RawBuilder<unknown>, before: number | null) =>
  before === null ? sql`true` : sql`${id} < ${before}`;

/** The number of rows before a page, for lists paged by offset. */
export function decodeOffset(cursor: string | undefined): number {
  const after = decodeCursor(cursor)?.after ?? 0;
  return Number.isSafeInteger(after) && after >= 0 && after <= 100_000 ? after : 0;
}
