import { type Database, transaction, type Tx } from '#server/core/database.ts';
import type { JobDefinition } from '#server/core/job-queue.ts';
import { applyMemberChanges, applyTagChanges, lockStatistics } from './statistics-queries.ts';

/** Changes that one transaction adds at most. */
const maxChanges = 5_000;

/** Milliseconds that one run of the job may take. The next minute's run continues. */
const jobTimeoutMs = 50_000;

/** Adds pending changes to the statistics of members and tags. */
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
  for (const apply of [applyMemberChanges, applyTagChanges])
    while (Date.now() < until && (await applyChanges(db, apply)));
}

/** Returns whether there may be more to do. */
function applyChanges(db: Database, apply: (tx: Tx, limit: number) => Promise<number>): Promise<boolean> {
  return transaction(db, async (tx) => {
    await lockStatistics.execute(tx);
    return (await apply(tx, maxChanges)) === maxChanges;
  });
}
