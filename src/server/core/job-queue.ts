import { fromKysely, type JobWithMetadata, PgBoss } from 'pg-boss';
import type pg from 'pg';
import type { Logger } from 'pino';
import { openPool, responseTimeoutMs, type Tx } from './database.ts';
import { waitForAbortWithin } from './signals.ts';

/** One attempt to run a job. */
export type JobAttempt = {
  /** The same for all attempts of a job. */
  id: string;
  /** No further attempt follows. */
  isLast: boolean;
};

/** A kind of job that runs once on any free node, and again after a failure or crash. */
export type JobDefinition<Data extends object = object> = {
  name: string;
  /**
   * How many retries a failed job gets and the delay before the first one. The delay doubles each time up to
   * `maxDelaySeconds`.
   */
  retries: { limit: number; delaySeconds: number; maxDelaySeconds: number };
  /** After this many seconds, a job counts as failed because it takes too long or its node died. */
  timeoutSeconds: number;
  /** The number of jobs that a node runs at the same time. */
  concurrency: number;
  /** How often one of the nodes adds a job without data. Absent: never. */
  runsEvery?: 'minute' | 'hour';
  /**
   * Throws if a retry may succeed.
   * @param queue adds further jobs, also before `startJobQueue` has returned it
   */
  run(data: Data, attempt: JobAttempt, queue: JobQueue): Promise<void>;
};

/** As cron writes them. */
const schedules = { minute: '* * * * *', hour: '0 * * * *' } as const;

export type JobQueue = {
  /**
   * Adds jobs in the caller's transaction, without those whose kind and key a waiting, running or retried job has.
   */
  enqueue: (tx: Tx, name: string, ...jobs: { key: string; data: object }[]) => Promise<void>;
  /** The number of waiting, running and failed jobs of each kind, on all nodes. */
  counts: () => Promise<JobCounts[]>;
  /** The number of failed attempts on this node since its start, by kind. */
  failures: () => ReadonlyMap<string, number>;
  /** Accepts no more jobs and waits for running ones. */
  stop: () => Promise<void>;
};

export type JobCounts = { kind: string; waiting: number; running: number; failed: number };

export type JobQueueOptions = {
  connection: pg.PoolConfig;
  log: Logger;
  kinds: readonly JobDefinition[];
  /** How often a node polls for jobs and checks for dead nodes, in seconds. */
  pollSeconds?: number;
  supervisionSeconds?: number;
  /** If false, no scheduled job is added, so that nothing is written to the database without a request. */
  runsScheduledJobs?: boolean;
};

/** The schema contains only jobs. pg-boss creates and migrates it, one node at a time. */
const schema = 'parley_jobs';

/** How long running jobs may take after a stop signal, in milliseconds. Interrupted ones are retried. */
const stopTimeoutMs = 5_000;

/**
 * Starts running jobs on this node. Every node runs jobs, and each job runs on exactly one node. Jobs use a few
 * connections of their own.
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
    // While the database restarts, pg-boss retries by itself.
    if (!stopping.signal.aborted) log.warn({ err: error }, 'jobs are waiting for the database');
  };
  const pool = openPool({
    // pg-boss closes the connection of a failed statement.
    connection: { query_timeout: responseTimeoutMs, ...connection },
    maxConnections: 4,
    onIdleError: warn,
  });
  const boss = new PgBoss({
    db: { executeSql: (text, values) => pool.query(text, values) },
    schema,
    superviseIntervalSeconds: supervisionSeconds,
    monitorIntervalSeconds: supervisionSeconds,
    // The clocks of a node and the database differ by little, and minute jobs do not need more precision.
    clockMonitorIntervalSeconds: 600,
  });
  boss.on('error', warn);
  const queue: JobQueue = {
    async enqueue(tx, name, ...jobs) {
      if (jobs.length === 0) return;
      const inserts = jobs.map(({ key, data }) => ({ singletonKey: key, data }));
      await boss.insert(name, inserts, { db: fromKysely(tx) });
    },
    async counts() {
      const { rows } = await pool.query<JobCounts>(countJobs, [kinds.map(({ name }) => name)]);
      return rows;
    },
    failures: () => failures,
    stop,
  };
  try {
    await boss.start();
    // A job can add jobs of every kind, so all queues come before the first worker.
    for (const kind of kinds) await registerQueue(kind);
    for (const kind of kinds) for (let n = 0; n < kind.concurrency; n++) await startWorker(kind);
  } catch (error) {
    await stop();
    throw error;
  }
  return queue;

  async function registerQueue(kind: JobDefinition): Promise<void> {
    const { name, retries, timeoutSeconds, runsEvery } = kind;
    const rules = {
      retryLimit: retries.limit,
      retryDelay: retries.delaySeconds,
      retryBackoff: true,
      retryDelayMax: retries.maxDelaySeconds,
      expireInSeconds: timeoutSeconds,
      // Jobs may contain the text of an email, so completed ones are deleted soon.
      deleteAfterSeconds: 60,
      retentionSeconds: 14 * 24 * 60 * 60,
    };
    await boss.createQueue(name, { policy: 'exclusive', ...rules });
    await boss.updateQueue(name, rules);
    if (runsEvery !== undefined && runsScheduledJobs)
      await boss.schedule(name, schedules[runsEvery], null, { singletonKey: name });
  }

  async function startWorker(kind: JobDefinition): Promise<void> {
    const { name } = kind;
    const workOptions = { includeMetadata: true, pollingIntervalSeconds: pollSeconds } as const;
    const worker: Promise<string> = boss.work<object, void, typeof workOptions>(
      name,
      workOptions,
      async ([job]) => {
        if (job === undefined) return;
        // pg-boss would wait for the next poll after each job, also while others are waiting.
        boss.notifyWorker(await worker);
        try {
          await kind.run(job.data ?? {}, toAttempt(job), queue);
        } catch (error) {
          failures.set(name, (failures.get(name) ?? 0) + 1);
          logFailure(name, error);
          throw error;
        }
      },
    );
    await worker;
  }

  /** Logs at most once a minute, because thousands of jobs fail while a mail server is down. */
  function logFailure(name: string, error: unknown): void {
    if (Date.now() - (lastLoggedAt.get(name) ?? 0) < 60_000) return;
    lastLoggedAt.set(name, Date.now());
    log.warn({ err: error }, `A job of the kind '${name}' failed and will be retried.`);
  }

  /** Has a timeout: pg-boss may never finish stopping if the database is gone or it was stopped during its start. */
  async function stop(): Promise<void> {
    stopping.abort();
    const stopped = boss.stop({ graceful: true, timeout: stopTimeoutMs }).then(() => pool.end());
    const timeoutAbort = new AbortController();
    await Promise.race([stopped, waitForAbortWithin(timeoutAbort.signal, 2 * stopTimeoutMs)]).finally(() =>
      timeoutAbort.abort(),
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
