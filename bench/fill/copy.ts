import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { from } from 'pg-copy-streams';

/** Text is handed over in pieces of about this many UTF-16 units. */
const pieceLength = 256 * 1024;

/** Fills one table over a connection of its own, in one transaction, by COPY. */
export type TableLoad = {
  /** Takes the text of whole rows. */
  add(rows: string): void;
  /** Resolves when PostgreSQL has taken most of what was added: it sets the pace. */
  waitForDrain(): Promise<void>;
  /** Resolves when the rows are committed. */
  end(): Promise<void>;
};

/**
 * The table is emptied in the same transaction, so that its rows can be written as already settled (FREEZE): no later
 * vacuum writes them again. Nothing may refer to it by a foreign key.
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
  // Awaited below; until then a failure must not count as one that nobody handles.
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

/** A time in milliseconds since 1970 as PostgreSQL reads it; to the second, by tables, as there are millions of them. */
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
