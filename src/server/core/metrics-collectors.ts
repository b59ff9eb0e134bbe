import { Counter, Gauge, type Registry } from 'prom-client';
import type { JobCounts } from './job-queue.ts';

/** The parts of a node that its metrics look at when somebody asks. */
export type MetricsSources = {
  node: { name: string; version: string };
  /** What `/readyz` says. */
  isReady: () => boolean;
  /** Live sockets that are open. */
  countSockets: () => number;
  /** Seconds from the writing of an event to its being handed out. */
  streamLagSeconds: () => number;
  /** Connections to the database, and statements on them that took long. */
  database?: {
    connections: () => { inUse: number; idle: number; maxConnections: number; waiting: number };
    countSlowStatements: () => number;
  };
  jobs?: { counts: () => Promise<JobCounts[]>; failures: () => ReadonlyMap<string, number> };
  /** Pages that are kept; absent where none are. */
  cache?:
    | {
        bytes: () => number;
        pagesRead: () => number;
        viewerReads: () => number;
        lookups: () => { hits: number; misses: number };
      }
    | undefined;
  /** Absent where there are none. */
  replicas?: (() => readonly ReplicaState[]) | undefined;
  /** What is refused because too much is asked: the level of pressure.ts, and requests since the start. */
  overload?: { level: () => number; shedCount: () => number; rejectedCount: () => number };
  /** What is known of backups that are made by themselves; absent where there are none. */
  backups?: (() => Promise<BackupState>) | undefined;
};

export type BackupState = {
  /** When the last good one was begun, and its size; null where there is none. */
  lastSuccess: { startedAt: Date; bytes: number } | null;
  /** When one was last restored and compared; null: never. */
  lastVerified: Date | null;
  isLastFailed: boolean;
};

/** What a part does not tell at this moment, such as while the database is away, is left out. */
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
  simpleGauge('parley_ready', 'Whether this node takes requests (1), as /readyz says.', () =>
    Number(isReady()),
  );
  simpleGauge('parley_live_sockets', 'Live sockets that are open.', countSockets);
  simpleGauge(
    'parley_stream_lag_seconds',
    'Seconds from the writing of an event to its being handed out.',
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
    const open = gauge(
      name,
      'Connections of this node to the database that serve requests.',
      ['state'],
      () => {
        const { inUse, idle } = connections();
        open.set({ state: 'in_use' }, inUse);
        open.set({ state: 'idle' }, idle);
      },
    );
    simpleGauge(`${name}_max`, 'The most of them.', () => connections().maxConnections);
    simpleGauge(`${name}_waited_for`, 'Requests that wait for one of them.', () => connections().waiting);
    count('parley_slow_queries_total', 'Statements that took SLOW_QUERY_MS or longer.', [], (counter) =>
      counter.inc(countSlowStatements()),
    );
  }

  function collectJobs({ counts, failures }: Required<MetricsSources>['jobs']): void {
    const help = 'Jobs of all nodes together, by kind, that wait, run, or were given up in the last minute.';
    const states = gauge('parley_jobs', help, ['kind', 'state'], async () => {
      states.reset();
      for (const { kind, ...numbers } of await counts().catch(() => []))
        for (const [state, number] of Object.entries(numbers)) states.set({ kind, state }, number);
    });
    count(
      'parley_job_failures_total',
      'Tries at jobs that failed on this node, by kind.',
      ['kind'],
      (counter) => {
        for (const [kind, number] of failures()) counter.inc({ kind }, number);
      },
    );
  }

  function collectCache({
    bytes,
    pagesRead: metric,
    viewerReads,
    lookups,
  }: NonNullable<MetricsSources['cache']>): void {
    simpleGauge('parley_kept_bytes', 'Bytes of pages that are kept in memory.', bytes);
    simpleGauge(
      'parley_kept_pages_read',
      'Pages read from the database to be kept, since the start.',
      metric,
    );
    simpleGauge(
      'parley_kept_own_read',
      "Times that a page was kept, but what is the viewer's own on it was read, since the start.",
      viewerReads,
    );
    count(
      'parley_kept_lookups_total',
      'Pages looked for in memory, by whether they were there.',
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
      'parley_replica_serves',
      'Whether a streaming replica serves reads (1) or is left out (0).',
      ['replica'],
      () => states().forEach(({ name, isHealthy }) => serves.set({ replica: name }, Number(isHealthy))),
    );
    const help = 'Seconds by which a streaming replica is at least behind the primary.';
    const behind = gauge('parley_replica_lag_seconds', help, ['replica'], () => {
      // Nothing rather than something old while the primary does not answer.
      behind.reset();
      for (const { name, lagSeconds } of states())
        if (lagSeconds !== null) behind.set({ replica: name }, lagSeconds);
    });
  }

  function collectLoad({ level, shedCount, rejectedCount }: Required<MetricsSources>['overload']): void {
    simpleGauge(
      'parley_pressure',
      'How much is shed: 1 searches and visitors, 2 writes, 3 all but memory.',
      level,
    );
    count(
      'parley_shed_requests_total',
      'Requests answered with 503 because too much was asked.',
      [],
      (counter) => counter.inc(shedCount()),
    );
    count(
      'parley_flood_refusals_total',
      'Requests answered with 429 because one member or network sent too many.',
      [],
      (counter) => counter.inc(rejectedCount()),
    );
  }

  function collectBackups(state: () => Promise<BackupState>): void {
    let reading: Promise<BackupState | undefined> | undefined;
    // One reading for all of them.
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
      'parley_backup_last_good_timestamp_seconds',
      'When the last good backup was begun; 0: never.',
      ({ lastSuccess }) => seconds(lastSuccess?.startedAt),
    );
    backupGauge(
      'parley_backup_last_good_bytes',
      'The size of its file.',
      ({ lastSuccess }) => lastSuccess?.bytes ?? 0,
    );
    backupGauge(
      'parley_backup_last_verified_timestamp_seconds',
      'When a backup was last restored and compared; 0: never.',
      ({ lastVerified }) => seconds(lastVerified),
    );
    backupGauge(
      'parley_backup_last_failed',
      'Whether the last try at a backup failed (1).',
      ({ isLastFailed }) => Number(isLastFailed),
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

  /** Of something that is counted elsewhere since the start. */
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
  /** Its address without password. */
  name: string;
  isHealthy: boolean;
  /** Null where that is not known. */
  lagSeconds: number | null;
  /** Why it is left out. */
  reason: string | null;
};
