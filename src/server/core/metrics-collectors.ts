import { Counter, Gauge, type Registry } from 'prom-client';
import type { JobCounts } from './job-queue.ts';

/** The parts of a node that are read when metrics are requested. */
export type MetricsSources = {
  node: { name: string; version: string };
  /** Whether the node is ready, as in `/readyz`. */
  isReady: () => boolean;
  /** The number of open live sockets. */
  countSockets: () => number;
  /** Seconds between writing and delivering an event. */
  streamLagSeconds: () => number;
  /** Connections to the database, and slow statements. */
  database?: {
    connections: () => { inUse: number; idle: number; maxConnections: number; waiting: number };
    countSlowStatements: () => number;
  };
  jobs?: { counts: () => Promise<JobCounts[]>; failures: () => ReadonlyMap<string, number> };
  /** The response cache. Absent if it is off. */
  cache?:
    | {
        bytes: () => number;
        documentsRead: () => number;
        lookups: () => { hits: number; misses: number };
      }
    | undefined;
  /** Absent without replicas. */
  replicas?: (() => readonly ReplicaState[]) | undefined;
  /** Load shedding: the level of system-load.ts, and the refused requests since the start. */
  overload?: { level: () => number; shedCount: () => number; rejectedCount: () => number };
  /** Scheduled backups. Absent without them. */
  backups?: (() => Promise<BackupState>) | undefined;
};

export type BackupState = {
  /** The start and size of the last good backup. Null if there is none. */
  lastSuccess: { startedAt: Date; bytes: number } | null;
  /** When a backup was last restored and compared. Null: never. */
  lastVerified: Date | null;
  isLastFailed: boolean;
};

/** Registers the collectors. A value that is not available, for example while the database is down, is omitted. */
export function registerCollectors(registry: Registry, parts: MetricsSources): void {
  const registers = [registry];
  const {
    node,
    isReady,
    countSockets,
    streamLagSeconds,
    database,
    jobs,
    cache,
    replicas,
    overload,
    backups,
  } = parts;
  gauge('parley_node_info', 'The name of this node and its version.', ['node', 'version']).set(
    {
      node: node.name,
      version: node.version,
    },
    1,
  );
  simpleGauge('parley_ready', 'Whether this node accepts requests (1), as in /readyz.', () =>
    Number(isReady()),
  );
  simpleGauge('parley_live_sockets', 'Open live sockets.', countSockets);
  simpleGauge(
    'parley_stream_lag_seconds',
    'Seconds between writing and delivering an event.',
    streamLagSeconds,
  );
  if (database !== undefined) collectDatabase(database);
  if (jobs !== undefined) collectJobs(jobs);
  if (cache !== undefined) collectCache(cache);
  if (replicas !== undefined) collectReplicas(replicas);
  if (overload !== undefined) collectLoad(overload);
  if (backups !== undefined) collectBackups(backups);

  function collectDatabase({ connections, countSlowStatements }: Required<MetricsSources>['database']): void {
    const name = 'parley_database_connections';
    const open = gauge(name, 'Database connections of this node for requests, by state.', ['state'], () => {
      const { inUse, idle } = connections();
      open.set({ state: 'in_use' }, inUse);
      open.set({ state: 'idle' }, idle);
    });
    simpleGauge(
      `${name}_max`,
      'The maximum number of database connections for requests.',
      () => connections().maxConnections,
    );
    simpleGauge(
      `${name}_waiting`,
      'Requests waiting for a database connection.',
      () => connections().waiting,
    );
    count('parley_slow_queries_total', 'Statements that took SLOW_QUERY_MS or longer.', [], (counter) =>
      counter.inc(countSlowStatements()),
    );
  }

  function collectJobs({ counts, failures }: Required<MetricsSources>['jobs']): void {
    const help = 'Jobs of all nodes by kind: waiting, running, or failed for good in the last minute.';
    const states = gauge('parley_jobs', help, ['kind', 'state'], async () => {
      states.reset();
      for (const { kind, ...numbers } of await counts().catch(() => []))
        for (const [state, number] of Object.entries(numbers)) states.set({ kind, state }, number);
    });
    count('parley_job_failures_total', 'Failed job attempts on this node, by kind.', ['kind'], (counter) => {
      for (const [kind, number] of failures()) counter.inc({ kind }, number);
    });
  }

  function collectCache({ bytes, documentsRead, lookups }: NonNullable<MetricsSources['cache']>): void {
    simpleGauge('parley_response_cache_bytes', 'Memory used by the response cache.', bytes);
    count(
      'parley_response_cache_reads_total',
      'Documents read from the database into the response cache since the start.',
      [],
      (counter) => counter.inc(documentsRead()),
    );
    count(
      'parley_response_cache_lookups_total',
      'Lookups in the response cache, by result.',
      ['result'],
      (counter) => {
        const { hits, misses } = lookups();
        counter.inc({ result: 'hit' }, hits);
        counter.inc({ result: 'miss' }, misses);
      },
    );
  }

  function collectReplicas(states: () => readonly ReplicaState[]): void {
    const serves = gauge(
      'parley_replica_healthy',
      'Whether a streaming replica serves reads (1) or is not used (0).',
      ['replica'],
      () => states().forEach(({ name, isHealthy }) => serves.set({ replica: name }, Number(isHealthy))),
    );
    const help = 'The minimum lag of a streaming replica behind the primary in seconds.';
    const behind = gauge('parley_replica_lag_seconds', help, ['replica'], () => {
      // Omits old values while the primary does not respond.
      behind.reset();
      for (const { name, lagSeconds } of states())
        if (lagSeconds !== null) behind.set({ replica: name }, lagSeconds);
    });
  }

  function collectLoad({ level, shedCount, rejectedCount }: Required<MetricsSources>['overload']): void {
    simpleGauge(
      'parley_load_level',
      'The load level. 1: refuses searches and visitors, 2: also writes, 3: everything but cached documents.',
      level,
    );
    count('parley_shed_requests_total', 'Requests refused with 503 because of overload.', [], (counter) =>
      counter.inc(shedCount()),
    );
    count(
      'parley_rate_limited_requests_total',
      'Requests refused with 429 because one member or network sent too many.',
      [],
      (counter) => counter.inc(rejectedCount()),
    );
  }

  function collectBackups(state: () => Promise<BackupState>): void {
    let reading: Promise<BackupState | undefined> | undefined;
    // All collectors share one read.
    const read = () =>
      (reading ??= state()
        .catch(() => undefined)
        .finally(() => (reading = undefined)));
    const backupGauge = (name: string, help: string, value: (state: BackupState) => number) => {
      const metric = gauge(name, help, [], async () => {
        const backupState = await read();
        if (backupState === undefined) metric.remove();
        else metric.set(value(backupState));
      });
    };
    const seconds = (at: Date | null | undefined) => (at?.getTime() ?? 0) / 1_000;
    backupGauge(
      'parley_backup_last_success_timestamp_seconds',
      'The start of the last good backup; 0: none.',
      ({ lastSuccess }) => seconds(lastSuccess?.startedAt),
    );
    backupGauge(
      'parley_backup_last_success_bytes',
      'The size of the last good backup.',
      ({ lastSuccess }) => lastSuccess?.bytes ?? 0,
    );
    backupGauge(
      'parley_backup_last_verified_timestamp_seconds',
      'When a backup was last restored and compared; 0: never.',
      ({ lastVerified }) => seconds(lastVerified),
    );
    backupGauge('parley_backup_last_failed', 'Whether the last backup failed (1).', ({ isLastFailed }) =>
      Number(isLastFailed),
    );
  }

  function simpleGauge(name: string, help: string, value: () => number): void {
    const metric = gauge(name, help, [], () => metric.set(value()));
  }

  function gauge(
    name: string,
    help: string,
    labelNames: string[] = [],
    collect?: () => void | Promise<void>,
  ): Gauge {
    return new Gauge({ name, help, labelNames, registers, ...(collect && { collect }) });
  }

  /** A counter whose value is maintained elsewhere. */
  function count(name: string, help: string, labelNames: string[], read: (counter: Counter) => void): void {
    const metric: Counter = new Counter({
      name,
      help,
      labelNames,
      registers,
      collect() {
        metric.reset();
        read(metric);
      },
    });
  }
}

export type ReplicaState = {
  /** The URL without its password. */
  name: string;
  isHealthy: boolean;
  /** Null if unknown. */
  lagSeconds: number | null;
  /** Why the replica is not used. */
  reason: string | null;
};
