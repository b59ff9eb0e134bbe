import type { ReplicaState } from '#server/core/metrics-collectors.ts';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Database, Reader } from '#server/core/database.ts';
import type { StatementObserver } from '#server/core/database-prepared-statements.ts';
import { createHeartbeat, type Heartbeat } from './replica-heartbeat.ts';
import { laterLsn, type Lsn } from './lsn.ts';
import { openReplica, type Replica } from './replica.ts';
import {
  deleteOldHeartbeats,
  getLastWrite,
  recordLastWrite,
  resetFutureWrites,
} from './replica-last-write.ts';

/** The streaming replicas that serve reads in addition to the primary. */
export type Replicas = {
  /**
   * Chooses a database for the member's reads that is not older than the member's last write, nor than `seen`, a
   * position the client has received. `replayed` is null for the primary; for a replica it is a position up to which it
   * has replayed.
   */
  chooseReader(memberId: number, seen: Lsn | null): Promise<ChosenReader>;
  /** Call it after the commit of a member's write and before the response. */
  recordWrite(memberId: number): Promise<void>;
  getStates: () => ReplicaState[];
  stop(): Promise<void>;
};

/** `searchReader` has separate connections for searches. */
type ChosenReader = { reader: Reader; searchReader: Reader; replayed: Lsn | null };

export type ReplicasOptions = {
  db: Database;
  searchDb: Database;
  /** The connection settings of the primary. */
  connection: pg.ClientConfig;
  urls: readonly string[];
  log: Logger;
  /** Called with the duration of each statement on a replica. */
  onStatement?: StatementObserver | undefined;
};

/** Milliseconds between two heartbeats of a node, and between two probes of each replica. */
const intervalMs = 500;

/** The maximum wait in milliseconds of a request for a replica to catch up, and of the start for all replicas. */
const catchUpTimeoutMs = 200;
const startTimeoutMs = 2_000;

/**
 * Opens the replicas. Replicas that cannot be used are logged and skipped while that lasts; the start continues.
 * Returns undefined if there are none.
 */
export async function openReplicas(options: ReplicasOptions): Promise<Replicas | undefined> {
  const { db, searchDb, connection, urls, log, onStatement } = options;
  if (urls.length === 0) return undefined;
  await resetFutureWrites(db);
  await deleteOldHeartbeats(db);
  const node = randomUUID();
  const heartbeat = createHeartbeat(connection, node);
  const all = urls.map((url) =>
    openReplica({ url, node, heartbeat, primary: { db, searchDb }, log, onStatement }),
  );
  await probeUntilServing(heartbeat, all);
  for (const replica of all) replica.startLogging();
  const timer = setInterval(() => void probeAll(heartbeat, all), intervalMs);
  let turn = 0;

  return {
    async chooseReader(memberId, seen) {
      if (!all.some((replica) => replica.isServing()))
        return { reader: db, searchReader: searchDb, replayed: null };
      // Visitors have the id 0 and write nothing.
      const lastWrite = memberId === 0 ? null : await getLastWrite(db, memberId);
      const floor = laterLsn(lastWrite, seen) ?? 0n;
      const replica = await pick(floor);
      if (replica === undefined) return { reader: db, searchReader: searchDb, replayed: null };
      return {
        reader: replica.readers.main,
        searchReader: replica.readers.search,
        replayed: replica.replayedLsn(),
      };
    },
    recordWrite: (memberId) => recordLastWrite(db, memberId),
    getStates: () => all.map((replica) => replica.getState()),
    async stop() {
      clearInterval(timer);
      heartbeat.stop();
      await Promise.all(all.map((replica) => replica.stop()));
    },
  };

  /** Round robin among the replicas that have replayed `floor`. If none is known to, probes one of them. */
  async function pick(floor: Lsn): Promise<Replica | undefined> {
    const serving = all.filter((replica) => replica.isServing());
    if (serving.length === 0) return undefined;
    const first = turn++ % serving.length;
    const inTurn = [...serving.slice(first), ...serving.slice(0, first)];
    const ready = inTurn.find((replica) => replica.replayedLsn() >= floor);
    if (ready !== undefined) return ready;
    const [asked] = inTurn;
    if (asked === undefined) return undefined;
    await Promise.race([asked.probe(), delay(catchUpTimeoutMs, undefined, { ref: false })]);
    return asked.isServing() && asked.replayedLsn() >= floor ? asked : undefined;
  }
}

async function probeAll(heart: Heartbeat, all: readonly Replica[]): Promise<void> {
  await heart.send();
  await Promise.all(all.map((replica) => replica.probe()));
}

/** Waits until every replica serves or the time is up. */
async function probeUntilServing(heart: Heartbeat, all: readonly Replica[]): Promise<void> {
  const end = performance.now() + startTimeoutMs;
  await heart.send();
  const untilItServes = async (replica: Replica) => {
    for (;;) {
      await replica.probe();
      if (replica.isServing() || performance.now() > end) return;
      await delay(50);
    }
  };
  await Promise.all(all.map(untilItServes));
}
