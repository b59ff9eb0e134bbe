import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { from } from 'pg-copy-streams';

/** Text is sent in chunks of about this many UTF-16 units. */
const pieceLength = 256 * 1024;

/** Fills one table with COPY, on its own connection, in one transaction. */
export type TableLoad = {
  /** Adds the text of complete rows. */
  add(rows: string): void;
  /** Backpressure: resolves when PostgreSQL has received most of the rows. */
  waitForDrain(): Promise<void>;
  /** Resolves when the rows are committed. */
  end(): Promise<void>;
};

/**
 * Truncates the table in the same transaction, so that rows are written as frozen (FREEZE) and no later vacuum rewrites
 * them. No foreign key may reference the table.
 */
export async function startTableLoad(
  connection: pg.ClientConfig,
  table: string,
  columns: string,
): Promise<TableLoad> {
  const client = new pg.Client(connection);
  await client.connect();
  client.on('error', () => {});
  await client.query(`set statement_timeout = 0; begin; truncate ${table}`);
  const stream = client.query(from(`copy ${table} (${columns}) from stdin with (freeze)`));
  const done = finished(stream);
  // Awaited below; until then a rejection is not unhandled.
  done.catch(() => {});
  let piece = '';
  let full = false;
  const pass = () => {
    full = !stream.write(piece);
    piece = '';
  };
  return {
    add(rows) {
      piece += rows;
      if (piece.length >= pieceLength) pass();
    },
    async waitForDrain() {
      if (!full) return;
      if (stream.writableNeedDrain) await Promise.race([once(stream, 'drain'), done]);
      full = false;
    },
    async end() {
      try {
        stream.end(piece);
        await done;
        await client.query('commit');
      } finally {
        await client.end();
      }
    },
  };
}

const secondsOfDay = Array.from({ length: 86_400 }, (_, second) =>
  new Date(second * 1_000).toISOString().slice(11, 19),
);
const days = new Map<number, string>();

/** Formats milliseconds since 1970 for PostgreSQL, to the second. Uses lookup tables, since there are millions. */
export function formatTimestamp(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1_000);
  const day = Math.floor(second / 86_400);
  let name = days.get(day);
  if (name === undefined) {
    name = new Date(day * 86_400_000).toISOString().slice(0, 10);
    days.set(day, name);
  }
  return `${name} ${secondsOfDay[second - day * 86_400]}Z`;
}
