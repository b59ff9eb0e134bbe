import type { Logger } from 'pino';
import { withoutPassword } from '#server/platform/connect.ts';
import { type Database, openPool, type Reader, searchPool } from '#server/platform/database.ts';
import type { Ran } from '#server/platform/driver.ts';
import { isBusy } from '#server/platform/errors.ts';
import { messageOf } from '#server/platform/startup-error.ts';
import { ownSockets, watcher } from './connections.ts';
import { readFrom } from './driver.ts';
import type { Heart } from './heart.ts';
import { type Lsn, parseLsn } from './lsn.ts';

export type Replica = {
  readers: { reading: Reader; searching: Reader };
  /** Up to where it is known to have replayed. */
  replayed: () => Lsn;
  /** Whether it may serve reads now. */
  serves: () => boolean;
  /** Asks it how far it is; those who ask at the same time wait for one answer. Never rejects. */
  look(): Promise<void>;
  /** Tells the log of what changes from now on. */
  announce(): void;
  state(): ReplicaState;
  stop(): Promise<void>;
};

export type ReplicaState = {
  /** Its address without password. */
  name: string;
  healthy: boolean;
  /** Null where that is not known. */
  lagSeconds: number | null;
  /** Why it is left out. */
  reason: string | null;
};

export type ReplicaOptions = {
  url: string;
  node: string;
  heart: Heart;
  primary: { db: Database; searching: Database };
  log: Logger;
  ran?: Ran | undefined;
};

/** Nobody sees a page older than this but for their own doing, in milliseconds; and how close it has to come back. */
const oldest = 2_000;
const closeEnough = 1_000;

/** Milliseconds in which it has to answer how it is, and those a query may take before the primary is asked instead. */
const answerTime = 1_000;
const queryTime = 5_000;

/** One streaming replica: its connections, and what is known of it. */
export function openReplica({ url, node, heart, primary, log, ran }: ReplicaOptions): Replica {
  const connection = { connectionString: url };
  const name = withoutPassword(url);
  const sockets = ownSockets();
  const own = {
    ...connection,
    stream: sockets.stream,
    connectionTimeoutMillis: answerTime,
    statement_timeout: queryTime,
    // Where no answer comes at all.
    query_timeout: queryTime + answerTime,
  };
  const pool = openPool({ connection: own });
  const searchingPool = openPool({
    size: searchPool.size,
    connection: { ...own, ...searchPool.connection },
  });
  const probe = watcher({ connection, timeout: answerTime });
  const readers = {
    reading: readFrom({ replica: pool, primary: primary.db, onBroken: broke, ran }),
    searching: readFrom({
      replica: searchingPool,
      primary: primary.searching,
      onBroken: broke,
      ran,
      // The primary would be as busy with it.
      givesUp: isBusy,
    }),
  };
  let replayed: Lsn = 0n;
  let beat = 0;
  let reason: string | null = 'it has not answered yet';
  let announced = false;
  let stopped = false;
  let looking: Promise<void> | undefined;

  return {
    readers,
    replayed: () => replayed,
    serves,
    look: () => (looking ??= lookOnce()),
    announce,
    state,
    async stop() {
      stopped = true;
      probe.stop();
      const ended = Promise.all([pool.end(), searchingPool.end()]);
      sockets.destroy();
      await ended;
    },
  };

  function serves(): boolean {
    return reason === null && (heart.age(beat) ?? Infinity) <= oldest;
  }

  async function lookOnce(): Promise<void> {
    try {
      const seen = await probe.ask<Seen>(lookAt, [node]);
      decide(seen === undefined ? 'it gave no answer' : judge(seen));
    } catch (error) {
      // What still waits for it is run on the primary.
      sockets.destroy();
      decide(`it does not answer: ${messageOf(error)}`);
    } finally {
      looking = undefined;
    }
  }

  /** Why it may not serve reads, else null. */
  function judge(seen: Seen): string | null {
    if (!seen.standby) return 'it is no standby (any more)';
    replayed = parseLsn(seen.replayed) ?? 0n;
    beat = seen.beat ?? 0;
    const lag = heart.lag(beat);
    // While the primary itself does not answer, nothing is known, and nothing is read.
    if (lag === undefined) return reason;
    if (lag <= (reason === null ? oldest : closeEnough)) return null;
    return beat === 0
      ? 'it does not have what this node wrote: it is far behind, or another database'
      : `it lags by ${seconds(lag)} s`;
  }

  /** A query failed on it. The next look tells whether it serves again. */
  function broke(error: unknown): void {
    if (stopped || reason !== null) return;
    decide(`a query failed: ${messageOf(error)}`);
  }

  function decide(next: string | null): void {
    const before = reason;
    reason = next;
    if (!announced || stopped || (before === null) === (next === null)) return;
    tell();
  }

  function announce(): void {
    announced = true;
    tell();
  }

  function tell(): void {
    if (reason === null) log.info(`The replica ${name} serves reads.`);
    else log.warn(`The replica ${name} is left out: ${reason}.`);
  }

  function state(): ReplicaState {
    const lag = heart.lag(beat);
    return {
      name,
      healthy: serves(),
      lagSeconds: lag === undefined ? null : lag / 1_000,
      reason,
    };
  }
}

type Seen = { standby: boolean; replayed: string | null; beat: number | null };

const lookAt = `
  select pg_is_in_recovery() as standby, pg_last_wal_replay_lsn()::text as replayed,
    (select counter from node_heartbeat where node = $1) as beat`;

const seconds = (milliseconds: number) => (milliseconds / 1_000).toFixed(1);
