import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import type { Logger } from 'pino';
import type { Database } from '#server/core/database.ts';
import { getErrorCode, getErrorMessage } from '#server/core/startup-error.ts';

/** Scheduled work of a node. */
export type Schedule = {
  /** Does the work if it is due; resolves when it is done. The node calls it every minute. */
  runIfDue: () => Promise<void>;
  stop: () => Promise<void>;
};

/** Work that one node of a community does at a time (docs/decisions/034). */
export type ExclusiveWork<Status> = {
  db: Database;
  connection: pg.ClientConfig;
  log: Logger;
  /** For the log and the list of connections, such as 'backup'. */
  name: string;
  /**
   * Any fixed number. The node that holds this advisory lock does the work. PostgreSQL releases it if the node dies.
   */
  lock: number;
  getStatus: (db: Database) => Promise<Status>;
  isDue: (status: Status) => boolean;
  run: (signal: AbortSignal) => Promise<void>;
};

const minuteMs = 60_000;

/** Looks every minute whether the work is due. */
export function startExclusiveSchedule<Status>(work: ExclusiveWork<Status>): Schedule {
  const { db, connection, log, name, lock, getStatus, isDue, run } = work;
  const stopping = new AbortController();
  let looking: Promise<void> | undefined;
  const runIfDue = () =>
    (looking ??= lookOnce()
      .catch((error: unknown) => {
        // The database is restarting. The next check is in a minute.
        if (!stopping.signal.aborted) log.warn({ err: error }, `scheduled ${name}s wait for the database`);
      })
      .finally(() => (looking = undefined)));
  const timer = setInterval(() => void runIfDue(), minuteMs);
  void runIfDue();
  return {
    runIfDue,
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await looking;
    },
  };

  async function lookOnce(): Promise<void> {
    if (stopping.signal.aborted || !isDue(await getStatus(db))) return;
    const client = new pg.Client({ ...connection, application_name: `parley ${name}` });
    client.on('error', () => {});
    await client.connect();
    try {
      const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [
        lock,
      ]);
      // Another node may have taken the lock first, and be done by now.
      if (rows[0]?.mine !== true || !isDue(await getStatus(db))) return;
      await run(stopping.signal);
    } finally {
      await client.end().catch(() => {});
    }
  }
}

/**
 * Deletes what a node that was killed has left. Returns an error if the directory does not exist. It is not created,
 * because an unmounted disk must not fill another one.
 * @param options.name of the setting
 */
export async function prepareDirectory(
  directory: string,
  { name, isPartial }: { name: string; isPartial: (file: string) => boolean },
): Promise<string | null> {
  try {
    for (const file of (await readdir(directory)).filter(isPartial))
      await rm(path.join(directory, file), { recursive: true, force: true });
    return null;
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return `The directory ${directory} (${name}) does not exist.`;
    return `The directory ${directory} (${name}) cannot be used: ${getErrorMessage(error)}.`;
  }
}
