import { sql } from 'kysely';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import type { JobDefinition } from '#server/core/job-queue.ts';
import {
  applyMemberChanges,
  applyTagChanges,
  lockStatistics,
  markStatisticsBuilt,
  rebuildMemberStatistics,
  rebuildTagStatistics,
  listWithoutStatistics,
} from './statistics-queries.ts';

export { lockStatistics, rebuildMemberStatistics, rebuildTagStatistics };

/** Changes that one transaction adds at most. */
const maxChanges = 5_000;

/** Members and tags whose statistics are built in one transaction. One tag can have half of all questions. */
const maxRebuilt = { member: 200, tag: 20 } as const;

/** Milliseconds that one run of the job may take. The next minute's run continues. */
const jobTimeoutMs = 50_000;

/** Adds pending changes to the statistics of members and tags, and builds missing statistics. */
export function statisticsJob(db: Database): JobDefinition {
  return {
    name: 'statistics',
    retries: { limit: 0, delaySeconds: 1, maxDelaySeconds: 1 },
    timeoutSeconds: 300,
    concurrency: 1,
    runsEvery: 'minute',
    run: () => updateStatistics(db, Date.now() + jobTimeoutMs),
  };
}

/** @param until milliseconds since 1970; no transaction starts later */
export async function updateStatistics(db: Database, until: number): Promise<void> {
  for (const step of [
    createApplyStep(applyMemberChanges),
    createApplyStep(applyTagChanges),
    createRebuildStep('tag'),
    createRebuildStep('member'),
  ])
    while (Date.now() < until && (await step(db)));
}

/** Returns whether there may be more to do. */
type Step = (db: Database) => Promise<boolean>;

function createApplyStep(add: (tx: Tx, limit: number) => Promise<number>): Step {
  return (db) =>
    transaction(db, async (tx) => {
      await lockStatistics.execute(tx);
      return (await add(tx, maxChanges)) === maxChanges;
    });
}

function createRebuildStep(table: 'member' | 'tag'): Step {
  return async (db) => {
    const ids = await listWithoutStatistics(db, table, maxRebuilt[table]);
    if (ids.length === 0) return false;
    const recount = table === 'member' ? rebuildMemberStatistics : rebuildTagStatistics;
    await transaction(db, async (tx) => {
      // Counting a large tag or member takes longer than the statement timeout of requests.
      await sql`set local statement_timeout = 0`.execute(tx);
      await lockStatistics.execute(tx);
      await recount(sql`select unnest(${ids}::bigint[])`).execute(tx);
      await markStatisticsBuilt(tx, table, ids);
    });
    return true;
  };
}
