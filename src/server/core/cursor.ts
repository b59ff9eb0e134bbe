import { z } from 'zod';
import { ProblemError } from './errors.ts';

/**
 * A position in a list: the sort key and id of the last item seen. Opaque to clients (base64url of JSON), and checked
 * when it comes back, since anyone can send anything.
 */
export type Cursor = {
  after: number;
  id: number;
  /** In lists by score and then by `after`. */ score?: number;
};

/** A count, or a time in milliseconds as both JavaScript and PostgreSQL can hold it: from the year 1 on. */
const key = z.int().min(-62_135_596_800_000).max(8.64e15);
const shape = z.union([z.tuple([key, z.int()]), z.tuple([key, z.int(), z.int()])]);

export function encodeCursor({ after, id, score }: Cursor): string {
  const position = score === undefined ? [after, id] : [after, id, score];
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** @throws ProblemError 'invalid' for a text that is no cursor of ours. */
export function decodeCursor(text: string | undefined): Cursor | null {
  if (text === undefined) return null;
  try {
    const position = shape.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
    const [after, id, score] = position;
    return score === undefined ? { after, id } : { after, id, score };
  } catch {
    throw new ProblemError('invalid', 'The cursor is not valid.', {
      errors: [{ field: 'cursor', message: 'Use the nextCursor of an earlier answer' }],
    });
  }
}

/** Cuts a list that was read with one row more than the page has, and gives the cursor behind the last row kept. */
export function paginate<Row>(rows: readonly Row[], size: number, position: (row: Row) => Cursor) {
  const items = rows.slice(0, size);
  const last = items.at(-1);
  const nextCursor = rows.length > size && last !== undefined ? encodeCursor(position(last)) : null;
  return { items, nextCursor };
}

/** How many rows lie before a page of a list that is paged by position. */
export function decodeOffset(cursor: string | undefined): number {
  const after = decodeCursor(cursor)?.after ?? 0;
  return Number.isSafeInteger(after) && after >= 0 && after <= 100_000 ? after : 0;
}
