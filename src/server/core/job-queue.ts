import { fromKysely, type JobWithMetadata, PgBoss } from 'pg-boss';
import type pg from 'pg';
import type { Logger } from 'pino';
import { openPool, type Tx } from './database.ts';
import { waitForAbortWithin } from './signals.ts';
import { getErrorCode } from './startup-error.ts';

/** One try at a job. */
export type JobAttempt = {
  /** The same for each try at the same job. */
  id: string;
  /** No other comes behind it. */
  isLast: boolean;
};

/** A kind of work that is done once, by whichever node is free, and again after a failure or a crash. */
export type JobDefinition<Data extends object = object> = {
  name: string;
  /** A failed job is tried again so often, after so many seconds at first, twice as many each time, and so many at most. */
  retries: { limit: number; delaySeconds: number; maxDelaySeconds: number };
  /** A job that takes longer, or whose node died, counts as failed after so many seconds. */
  timeoutSeconds: number;
  /** Jobs a node does at the same time. */
  concurrency: number;
  /** Every minute one without data is added, by one of the nodes. */
  runsEveryMinute?: boolean;
  /** Throws for a failure that another try may mend. */
  run(data: Data, attempt: JobAttempt): Promise<void>;
};

export type JobQueue = {
  /**
   * Adds a job in the transaction of what it follows from. While one of the same kind and key waits, runs or is to be
   * tried again, a second is not added.
   */
  enqueue: (tx: Tx, name: string, job: { key: string; data: object }) => Promise<void>;
  /** How many jobs of each kind wait, run, and were given up, on all nodes together. */
  counts: () => Promise<JobCounts[]>;
  /** Tries that failed on this node since its start, by kind. */
  failures: () => ReadonlyMap<string, number>;
  /** Takes no more jobs, and waits for those that run. */
  stop: () => Promise<void>;
};

export type JobCounts = { kind: string; waiting: number; running: number; failed: number };

export type JobQueueOptions = {
  connection: pg.PoolConfig;
  log: Logger;
  kinds: readonly JobDefinition[];
  /** How often a node looks for jobs, and for those whose node died, in seconds. */
  pollSeconds?: number;
  supervisionSeconds?: number;
  /** False: nothing is added every minute, so that between two looks at the database only what was asked for is written. */
  runsScheduledJobs?: boolean;
};

/** The schema holds nothing but jobs; pg-boss makes it and brings it up to date, one node at a time. */
const schema = 'parley_jobs';

/** Running jobs get so long when Parley stops, in milliseconds; what is cut off is tried again. */
const stopTimeoutMs = 5_000;

/**
 * Takes part in doing the jobs of a community: every node does, each job is had by one. Connections are few and apart
 * from those of requests.
 */
export async function startJobQueue(options: JobQueueOptions): Promise<JobQueue> {
  const {
    connection,
    log,
    kinds,
    pollSeconds = 2,
    supervisionSeconds = 30,
    runsScheduledJobs = true,
  } = options;
  const stopping = new AbortController();
  const lastLoggedAt = new Map<string, number>();
  const failures = new Map<string, number>();
  const warn = (error: Error) => {
    // The database restarts: pg-boss looks again by itself.
    if (!stopping.signal.aborted) log.warn({ err: error }, 'jobs wait for the database');
  };
  const pool = openPool({ connection, maxConnections: 4, onIdleError: warn });
  const boss = new PgBoss({
    db: { executeSql: (text, values) => pool.query(text, values) },
    schema,
    superviseIntervalSeconds: supervisionSeconds,
    monitorIntervalSeconds: supervisionSeconds,
    // The clocks of a machine and its database differ by little; a job of a minute is no matter of seconds.
    clockMonitorIntervalSeconds: 600,
  });
  boss.on('error', warn);
  try {
    await boss.start();
    for (const kind of kinds) await take(kind);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    async enqueue(tx, name, { key, data }) {
      await boss.send(name, data, { db: fromKysely(tx), singletonKey: key });
    },
    async counts() {
      const { rows } = await pool.query<JobCounts>(countJobs, [kinds.map(({ name }) => name)]);
      return rows;
    },
    failures: () => failures,
    stop,
  };

  async function take(kind: JobDefinition): Promise<void> {
    const { name, retries, timeoutSeconds, concurrency, runsEveryMinute = false } = kind;
    const rules = {
      retryLimit: retries.limit,
      retryDelay: retries.delaySeconds,
      retryBackoff: true,
      retryDelayMax: retries.maxDelaySeconds,
      expireInSeconds: timeoutSeconds,
      // Jobs may hold the text of a mail: what is done is forgotten soon.
      deleteAfterSeconds: 60,
      retentionSeconds: 14 * 24 * 60 * 60,
    };
    await boss.createQueue(name, { policy: 'exclusive', ...rules });
    await boss.updateQueue(name, rules);
    if (runsEveryMinute && runsScheduledJobs)
      await boss.schedule(name, '* * * * *', null, { singletonKey: name });
    const workOptions = {
      includeMetadata: true,
      pollingIntervalSeconds: pollSeconds,
      localConcurrency: concurrency,
    } as const;
    await boss.work<object, void, typeof workOptions>(name, workOptions, async ([job]) => {
      if (job === undefined) return;
      try {
        await kind.run(job.data ?? {}, toAttempt(job));
      } catch (error) {
        failures.set(name, (failures.get(name) ?? 0) + 1);
        logFailure(name, error);
        throw error;
      }
    });
  }

  /** Once a minute: when a mail server is down, thousands of jobs fail. The texts of such errors may hold addresses. */
  function logFailure(name: string, error: unknown): void {
    if (Date.now() - (lastLoggedAt.get(name) ?? 0) < 60_000) return;
    lastLoggedAt.set(name, Date.now());
    const reason = getErrorCode(error) ?? (error instanceof Error ? error.name : 'unknown');
    log.warn(`A job of the kind ${name} failed (${reason}); it is tried again.`);
  }

  /** Not for ever: a database that went away, or a job library that was told to stop while it started, may never say so. */
  async function stop(): Promise<void> {
    stopping.abort();
    const stopped = boss.stop({ graceful: true, timeout: stopTimeoutMs }).then(() => pool.end());
    const enough = new AbortController();
    await Promise.race([stopped, waitForAbortWithin(enough.signal, 2 * stopTimeoutMs)]).finally(() =>
      enough.abort(),
    );
  }
}

const countJobs = `
  select kind, count(*) filter (where state in ('created', 'retry'))::int as waiting,
    count(*) filter (where state = 'active')::int as running,
    count(*) filter (where state = 'failed')::int as failed
  from unnest($1::text[]) kind left join ${schema}.job on job.name = kind
  group by kind order by kind`;

function toAttempt(job: JobWithMetadata): JobAttempt {
  return { id: job.id, isLast: job.retryCount >= job.retryLimit };
}
