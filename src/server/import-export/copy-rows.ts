import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from } from 'pg-copy-streams';

export type CopyCell = string | number | boolean | readonly string[] | null;

/** Text is written in chunks of about this many UTF-16 units, so that PostgreSQL applies backpressure. */
const chunkLength = 256 * 1024;

/**
 * Inserts rows with COPY, the fastest way.
 * @param columns a table and its columns as SQL, such as `archive_vote (post_id, kind)`
 */
export async function copyRows(
  client: ClientBase,
  columns: string,
  rows: Iterable<readonly CopyCell[]>,
): Promise<void> {
  const stream = client.query(from(`copy ${columns} from stdin`));
  const done = finished(stream);
  // Awaited below. Until then, a failure must not count as an unhandled rejection.
  done.catch(() => {});
  let piece = '';
  for (const row of rows) {
    piece += `${row.map(escapeCell).join('\t')}\n`;
    if (piece.length < chunkLength) continue;
    if (!stream.write(piece)) await Promise.race([once(stream, 'drain'), done]);
    piece = '';
  }
  stream.end(piece);
  await done;
}

/** Text format of COPY (PostgreSQL manual, COPY, 'Text Format'). */
export function escapeCell(cell: CopyCell): string {
  if (cell === null) return '\\N';
  if (typeof cell === 'string') return escapeText(cell);
  if (typeof cell === 'number' || typeof cell === 'boolean') return String(cell);
  return escapeText(`{${cell.map((item) => `"${item.replace(/["\\]/gu, '\\$&')}"`).join(',')}}`);
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeText(text: string): string {
  return text.replace(/[\\\n\r\t]/gu, (character) => escapes[character] ?? character);
}
