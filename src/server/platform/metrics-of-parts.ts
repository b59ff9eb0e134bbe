import { Counter, Gauge, type Registry } from 'prom-client';
import type { JobCounts } from './jobs/jobs.ts';
import type { ReplicaState } from './replicas/replica.ts';

/** The parts of a node that its metrics look at when somebody asks. */
export type WatchedParts = {
  node: { name: string; version: string };
  /** What `/readyz` says. */
  isReady: () => boolean;
  /** Live sockets that are open. */
  sockets: () => number;
  /** Seconds from the writing of an event to its being handed out. */
  lag: () => number;
  /** Connections to the database, and statements on them that took long. */
  database?: {
    connections: () => { inUse: number; idle: number; most: number; waiting: number };
    slow: () => number;
  };
  jobs?: { counts: () => Promise<JobCounts[]>; failures: () => ReadonlyMap<string, number> };
  /** Pages that are kept; absent where none are. */
  kept?:
    | {
        bytes: () => number;
        made: () => number;
        asked: () => number;
        lookups: () => { hits: number; misses: number };
      }
    | undefined;
  /** Absent where there are none. */
  replicas?: (() => readonly ReplicaState[]) | undefined;
  /** What is refused because too much is asked: the level of pressure.ts, and requests since the start. */
  overload?: { level: () => number; shed: () => number; refused: () => number };
  /** What is known of backups that are made by themselves; absent where there are none. */
  backups?: (() => Promise<BackupState>) | undefined;
};

export type BackupState = {
  /** When the last good one was begun, and its size; null where there is none. */
  lastGood: { startedAt: Date; bytes: number } | null;
  /** When one was last restored and compared; null: never. */
  lastVerified: Date | null;
  lastFailed: boolean;
};

/** What a part does not tell at this moment, such as while the database is away, is left out. */
export function gaugeParts(registry: Registry, parts: WatchedParts): void {
  const registers = [registry];
  const { node, isReady, sockets, lag, database, jobs, kept, replicas, overload, backups } = parts;
  gauge('parley_node_info', 'The name of this node and its version.', ['node', 'version']).set(
    {
      node: node.name,
      version: node.version,
    },
    1,
  );
  plain('parley_ready', 'Whether this node takes requests (1), as /readyz says.', () => Number(isReady()));
  plain('parley_live_sockets', 'Live sockets that are open.', sockets);
  plain('parley_stream_lag_seconds', 'Seconds from the writing of an event to its being handed out.', lag);
  if (database !== undefined) watchDatabase(database);
  if (jobs !== undefined) watchJobs(jobs);
  if (kept !== undefined) watchKept(kept);
  if (replicas !== undefined) watchReplicas(replicas);
  if (overload !== undefined) watchOverload(overload);
  if (backups !== undefined) watchBackups(backups);

  function watchDatabase({ connections, slow }: Required<WatchedParts>['database']): void {
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
    plain(`${name}_max`, 'The most of them.', () => connections().most);
    plain(`${name}_waited_for`, 'Requests that wait for one of them.', () => connections().waiting);
    count('parley_slow_queries_total', 'Statements that took SLOW_QUERY_MS or longer.', [], (counter) =>
      counter.inc(slow()),
    );
  }

  function watchJobs({ counts, failures }: Required<WatchedParts>['jobs']): void {
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

  function watchKept({ bytes, made, asked, lookups }: NonNullable<WatchedParts['kept']>): void {
    plain('parley_kept_bytes', 'Bytes of pages that are kept in memory.', bytes);
    plain('parley_kept_pages_read', 'Pages read from the database to be kept, since the start.', made);
    plain(
      'parley_kept_own_read',
      "Times that a page was kept, but what is the viewer's own on it was read, since the start.",
      asked,
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

  function watchReplicas(states: () => readonly ReplicaState[]): void {
    const serves = gauge(
      'parley_replica_serves',
      'Whether a streaming replica serves reads (1) or is left out (0).',
      ['replica'],
      () => states().forEach(({ name, healthy }) => serves.set({ replica: name }, Number(healthy))),
    );
    const help = 'Seconds by which a streaming replica is at least behind the primary.';
    const behind = gauge('parley_replica_lag_seconds', help, ['replica'], () => {
      // Nothing rather than something old while the primary does not answer.
      behind.reset();
      for (const { name, lagSeconds } of states())
        if (lagSeconds !== null) behind.set({ replica: name }, lagSeconds);
    });
  }

  function watchOverload({ level, shed, refused }: Required<WatchedParts>['overload']): void {
    plain('parley_pressure', 'How much is shed: 1 searches and visitors, 2 writes, 3 all but memory.', level);
    count(
      'parley_shed_requests_total',
      'Requests answered with 503 because too much was asked.',
      [],
      (counter) => counter.inc(shed()),
    );
    count(
      'parley_flood_refusals_total',
      'Requests answered with 429 because one member or network sent too many.',
      [],
      (counter) => counter.inc(refused()),
    );
  }

  function watchBackups(state: () => Promise<BackupState>): void {
    let reading: Promise<BackupState | undefined> | undefined;
    // One reading for all of them.
    const read = () =>
      (reading ??= state()
        .catch(() => undefined)
        .finally(() => (reading = undefined)));
    const about = (name: string, help: string, value: (state: BackupState) => number) => {
      const made = gauge(name, help, [], async () => {
        const told = await read();
        if (told === undefined) made.remove();
        else made.set(value(told));
      });
    };
    const seconds = (at: Date | null | undefined) => (at?.getTime() ?? 0) / 1_000;
    about(
      'parley_backup_last_good_timestamp_seconds',
      'When the last good backup was begun; 0: never.',
      ({ lastGood }) => seconds(lastGood?.startedAt),
    );
    about('parley_backup_last_good_bytes', 'The size of its file.', ({ lastGood }) => lastGood?.bytes ?? 0);
    about(
      'parley_backup_last_verified_timestamp_seconds',
      'When a backup was last restored and compared; 0: never.',
      ({ lastVerified }) => seconds(lastVerified),
    );
    about('parley_backup_last_failed', 'Whether the last try at a backup failed (1).', ({ lastFailed }) =>
      Number(lastFailed),
    );
  }

  function plain(name: string, help: string, value: () => number): void {
    const made = gauge(name, help, [], () => made.set(value()));
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
    const made: Counter = new Counter({
      name,
      help,
      labelNames,
      registers,
      collect() {
        made.reset();
        read(made);
      },
    });
  }
}
