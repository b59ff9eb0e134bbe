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

/** Changes that are added in one transaction. */
const maxChanges = 5_000;

/** Members and topics whose sums are made in one transaction; the largest topic alone may have half of everything. */
const maxRebuilt = { member: 200, tag: 20 } as const;

/** A job ends after so long, in milliseconds; the next minute's goes on. */
const jobTimeoutMs = 50_000;

/** Adds what changed to the sums of members and topics, and makes the sums that are still to be made. */
export function statisticsJob(db: Database): JobDefinition {
  return {
    name: 'sums',
    retries: { limit: 0, delaySeconds: 1, maxDelaySeconds: 1 },
    timeoutSeconds: 300,
    concurrency: 1,
    runsEveryMinute: true,
    run: () => updateStatistics(db, Date.now() + jobTimeoutMs),
  };
}

/** @param until in milliseconds since 1970; nothing is begun later */
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
      // What a large topic or member has takes longer to count than any request may take.
      await sql`set local statement_timeout = 0`.execute(tx);
      await lockStatistics.execute(tx);
      await recount(sql`select unnest(${ids}::bigint[])`).execute(tx);
      await markStatisticsBuilt(tx, table, ids);
    });
    return true;
  };
}
