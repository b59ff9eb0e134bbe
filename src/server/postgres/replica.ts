import type { ReplicaState } from '#server/core/metrics-collectors.ts';
import type { Logger } from 'pino';
import { redactPassword } from './connect.ts';
import { type Database, openPool, type Reader, searchPoolSettings } from '#server/core/database.ts';
import type { StatementObserver } from '#server/core/database-prepared-statements.ts';
import { isOverloadError } from '#server/core/errors.ts';
import { getErrorMessage } from '#server/core/startup-error.ts';
import { createProbe, trackSockets } from './replica-connections.ts';
import { createReplicaReader } from './replica-driver.ts';
import type { Heartbeat } from './replica-heartbeat.ts';
import { type Lsn, parseLsn } from './lsn.ts';

export type Replica = {
  readers: { main: Reader; search: Reader };
  /** The position up to which the replica is known to have replayed. */
  replayedLsn: () => Lsn;
  /** Whether the replica may serve reads now. */
  isServing: () => boolean;
  /** Queries the state of the replica. Concurrent calls share one query. Never rejects. */
  probe(): Promise<void>;
  /** Logs the current state and every later change. */
  startLogging(): void;
  getState(): ReplicaState;
  stop(): Promise<void>;
};

export type ReplicaOptions = {
  url: string;
  node: string;
  heartbeat: Heartbeat;
  primary: { db: Database; searchDb: Database };
  log: Logger;
  onStatement?: StatementObserver | undefined;
};

/** The maximum age in milliseconds of what other members wrote, and the lag below which a replica serves again. */
const maxLagMs = 2_000;
const recoveredLagMs = 1_000;

/** The timeouts in milliseconds of a status query, and of a query before it is retried on the primary. */
const probeTimeoutMs = 1_000;
const queryTimeoutMs = 5_000;

/** One streaming replica: its connections and its known state. */
export function openReplica({ url, node, heartbeat, primary, log, onStatement }: ReplicaOptions): Replica {
  const connection = { connectionString: url };
  const name = redactPassword(url);
  const sockets = trackSockets();
  const own = {
    ...connection,
    stream: sockets.stream,
    connectionTimeoutMillis: probeTimeoutMs,
    statement_timeout: queryTimeoutMs,
    // Applies when the server does not respond at all.
    query_timeout: queryTimeoutMs + probeTimeoutMs,
  };
  const pool = openPool({ connection: own });
  const searchingPool = openPool({
    maxConnections: searchPoolSettings.size,
    connection: { ...own, ...searchPoolSettings.connection },
  });
  const probe = createProbe({ connection, timeoutMs: probeTimeoutMs });
  const readers = {
    main: createReplicaReader({
      replica: pool,
      primary: primary.db,
      statements: { onStatement },
      onBroken: handleFailure,
    }),
    search: createReplicaReader({
      replica: searchingPool,
      primary: primary.searchDb,
      statements: { onStatement, prepares: 'marked' },
      onBroken: handleFailure,
      // The query would overload the primary as well.
      shouldGiveUp: isOverloadError,
    }),
  };
  let replayed: Lsn = 0n;
  let heartbeatNumber = 0;
  let reason: string | null = 'it has not responded yet';
  let announced = false;
  let stopped = false;
  let looking: Promise<void> | undefined;

  return {
    readers,
    replayedLsn: () => replayed,
    isServing: serves,
    probe: () => (looking ??= lookOnce()),
    startLogging: announce,
    getState: state,
    async stop() {
      stopped = true;
      probe.stop();
      const ended = Promise.all([pool.end(), searchingPool.end()]);
      sockets.destroy();
      await ended;
    },
  };

  function serves(): boolean {
    return reason === null && (heartbeat.ageMs(heartbeatNumber) ?? Infinity) <= maxLagMs;
  }

  async function lookOnce(): Promise<void> {
    try {
      const seen = await probe.query<ProbeResult>(selectReplicaState, [node]);
      decide(seen === undefined ? 'it returned no row' : judge(seen));
    } catch (error) {
      // Queries that are still waiting for the replica are retried on the primary.
      sockets.destroy();
      decide(`it does not respond: ${getErrorMessage(error)}`);
    } finally {
      looking = undefined;
    }
  }

  /** Why the replica may not serve reads, or null if it may. */
  function judge(seen: ProbeResult): string | null {
    if (!seen.standby) return 'it is not a standby';
    replayed = parseLsn(seen.replayed) ?? 0n;
    heartbeatNumber = seen.beat ?? 0;
    const lag = heartbeat.lagMs(heartbeatNumber);
    // While the primary does not respond, the lag is unknown and the state stays as it is.
    if (lag === undefined) return reason;
    if (lag <= (reason === null ? maxLagMs : recoveredLagMs)) return null;
    return heartbeatNumber === 0
      ? 'it does not have what this node wrote: it is far behind, or it replicates another database'
      : `it lags by ${seconds(lag)} s`;
  }

  /** Handles a failed query. The next probe decides whether the replica serves again. */
  function handleFailure(error: unknown): void {
    if (stopped || reason !== null) return;
    decide(`a query failed: ${getErrorMessage(error)}`);
  }

  function decide(next: string | null): void {
    const before = reason;
    reason = next;
    if (!announced || stopped || (before === null) === (next === null)) return;
    logState();
  }

  function announce(): void {
    announced = true;
    logState();
  }

  function logState(): void {
    if (reason === null) log.info(`Replica ${name} serves reads.`);
    else log.warn(`Replica ${name} is not used: ${reason}.`);
  }

  function state(): ReplicaState {
    const lag = heartbeat.lagMs(heartbeatNumber);
    return {
      name,
      isHealthy: serves(),
      lagSeconds: lag === undefined ? null : lag / 1_000,
      reason,
    };
  }
}

type ProbeResult = { standby: boolean; replayed: string | null; beat: number | null };

const selectReplicaState = `
  select pg_is_in_recovery() as standby, pg_last_wal_replay_lsn()::text as replayed,
    (select counter from node_heartbeat where node = $1) as beat`;

const seconds = (milliseconds: number) => (milliseconds / 1_000).toFixed(1);
