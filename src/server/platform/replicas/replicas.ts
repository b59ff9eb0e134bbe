import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Database, Reader } from '#server/platform/database.ts';
import type { Ran } from '#server/platform/driver.ts';
import { createHeart, type Heart } from './heart.ts';
import { later, type Lsn } from './lsn.ts';
import { openReplica, type Replica, type ReplicaState } from './replica.ts';
import { dropOldBeats, lastWritten, noteWritten, settleWritten } from './written.ts';

/** The streaming replicas that serve reads beside the primary. */
export type Replicas = {
  /**
   * Where the member reads from now, so that they see no page older than their own last write, nor than `seen`, a place
   * they were told of. `replayed` is null where it is the primary, else a place up to which the replica surely shows all.
   */
  choose(memberId: number, seen: Lsn | null): Promise<Chosen>;
  /** To be called when a member's write is committed and before it is acknowledged. */
  noteWritten(memberId: number): Promise<void>;
  states: () => ReplicaState[];
  stop(): Promise<void>;
};

/** `searching` has connections for searches alone. */
type Chosen = { reading: Reader; searching: Reader; replayed: Lsn | null };

export type ReplicasOptions = {
  db: Database;
  searching: Database;
  /** The primary's. */
  connection: pg.ClientConfig;
  urls: readonly string[];
  log: Logger;
  /** Told how long each statement took on a replica. */
  ran?: Ran | undefined;
};

/** Milliseconds between two beats of a node, and two looks at each replica. */
const interval = 500;

/** Milliseconds that a request waits at most to hear that a replica has caught up, and the start to hear of all. */
const patience = 200;
const startPatience = 2_000;

/**
 * Replicas that cannot be used are told to the log and left out for as long as that lasts; the start goes on. Undefined
 * where there are none: then nothing more is asked of anybody.
 */
export async function openReplicas(options: ReplicasOptions): Promise<Replicas | undefined> {
  const { db, searching, connection, urls, log, ran } = options;
  if (urls.length === 0) return undefined;
  await settleWritten(db);
  await dropOldBeats(db);
  const node = randomUUID();
  const heart = createHeart(connection, node);
  const all = urls.map((url) => openReplica({ url, node, heart, primary: { db, searching }, log, ran }));
  await firstLook(heart, all);
  for (const replica of all) replica.announce();
  const timer = setInterval(() => void round(heart, all), interval);
  let turn = 0;

  return {
    async choose(memberId, seen) {
      if (!all.some((replica) => replica.serves())) return { reading: db, searching, replayed: null };
      const floor = later(await lastWritten(db, memberId), seen) ?? 0n;
      const replica = await pick(floor);
      if (replica === undefined) return { reading: db, searching, replayed: null };
      return { ...replica.readers, replayed: replica.replayed() };
    },
    noteWritten: (memberId) => noteWritten(db, memberId),
    states: () => all.map((replica) => replica.state()),
    async stop() {
      clearInterval(timer);
      heart.stop();
      await Promise.all(all.map((replica) => replica.stop()));
    },
  };

  /** In turn, those that have replayed the floor; where none is known to, one of them is asked. */
  async function pick(floor: Lsn): Promise<Replica | undefined> {
    const serving = all.filter((replica) => replica.serves());
    if (serving.length === 0) return undefined;
    const first = turn++ % serving.length;
    const inTurn = [...serving.slice(first), ...serving.slice(0, first)];
    const ready = inTurn.find((replica) => replica.replayed() >= floor);
    if (ready !== undefined) return ready;
    const [asked] = inTurn;
    if (asked === undefined) return undefined;
    await Promise.race([asked.look(), delay(patience, undefined, { ref: false })]);
    return asked.serves() && asked.replayed() >= floor ? asked : undefined;
  }
}

async function round(heart: Heart, all: readonly Replica[]): Promise<void> {
  await heart.beat();
  await Promise.all(all.map((replica) => replica.look()));
}

/** Until every replica serves, or time is up. */
async function firstLook(heart: Heart, all: readonly Replica[]): Promise<void> {
  const end = performance.now() + startPatience;
  await heart.beat();
  const untilItServes = async (replica: Replica) => {
    for (;;) {
      await replica.look();
      if (replica.serves() || performance.now() > end) return;
      await delay(50);
    }
  };
  await Promise.all(all.map(untilItServes));
}
