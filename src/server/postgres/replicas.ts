import type { ReplicaState } from '#server/core/metrics-collectors.ts';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Database, Reader } from '#server/core/database.ts';
import type { StatementObserver } from '#server/core/database-driver.ts';
import { createHeartbeat, type Heartbeat } from './replica-heartbeat.ts';
import { laterLsn, type Lsn } from './lsn.ts';
import { openReplica, type Replica } from './replica.ts';
import {
  deleteOldHeartbeats,
  getLastWrite,
  recordLastWrite,
  resetFutureWrites,
} from './replica-last-write.ts';

/** The streaming replicas that serve reads beside the primary. */
export type Replicas = {
  /**
   * Where the member reads from now, so that they see no page older than their own last write, nor than `seen`, a place
   * they were told of. `replayed` is null where it is the primary, else a place up to which the replica surely shows all.
   */
  chooseReader(memberId: number, seen: Lsn | null): Promise<ChosenReader>;
  /** To be called when a member's write is committed and before it is acknowledged. */
  recordWrite(memberId: number): Promise<void>;
  getStates: () => ReplicaState[];
  stop(): Promise<void>;
};

/** `searching` has connections for searches alone. */
type ChosenReader = { reader: Reader; searchReader: Reader; replayed: Lsn | null };

export type ReplicasOptions = {
  db: Database;
  searchDb: Database;
  /** The primary's. */
  connection: pg.ClientConfig;
  urls: readonly string[];
  log: Logger;
  /** Told how long each statement took on a replica. */
  onStatement?: StatementObserver | undefined;
};

/** Milliseconds between two beats of a node, and two looks at each replica. */
const intervalMs = 500;

/** Milliseconds that a request waits at most to hear that a replica has caught up, and the start to hear of all. */
const catchUpTimeoutMs = 200;
const startTimeoutMs = 2_000;

/**
 * Replicas that cannot be used are told to the log and left out for as long as that lasts; the start goes on. Undefined
 * where there are none: then nothing more is asked of anybody.
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
      const floor = laterLsn(await getLastWrite(db, memberId), seen) ?? 0n;
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

  /** In turn, those that have replayed the floor; where none is known to, one of them is asked. */
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

/** Until every replica serves, or time is up. */
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
