import { type Database, type Tx, transaction } from '#server/core/database.ts';
import { publish } from '#server/core/events.ts';
import type { JobDefinition, JobQueue } from '#server/core/job-queue.ts';
import { insertLogEntry } from './moderation-log-queries.ts';
import {
  deleteHiddenPost,
  listPurgeablePosts,
  lockHiddenPost,
  type HiddenPostRow,
} from './hidden-posts-queries.ts';
import { runActivityRemovals } from './activity-removal.ts';

const jobName = 'care';

/** A round of work at most, in seconds; what is left is the next round's, a minute later. */
const roundSeconds = 240;

/** Posts that are purged in one round. */
const maxPurgesPerRound = 200;

/** Goes on with undoings, and ends what was deleted long ago. */
export function createModerationJob(db: Database): JobDefinition {
  return {
    name: jobName,
    retries: { limit: 0, delaySeconds: 1, maxDelaySeconds: 1 },
    timeoutSeconds: roundSeconds + 60,
    concurrency: 1,
    runsEveryMinute: true,
    async run() {
      await runActivityRemovals(db, Date.now() + roundSeconds * 1_000);
      await purgeDeletedPosts(db);
    },
  };
}

/** Has the work begin now; where a round is running, it is seen to by the next. */
export function queueModerationJob(tx: Tx, jobs: JobQueue): Promise<void> {
  return jobs.enqueue(tx, jobName, { key: jobName, data: {} });
}

/** What operators deleted is gone for good after 30 days. */
export async function purgeDeletedPosts(db: Database): Promise<void> {
  for (const row of await listPurgeablePosts(db, maxPurgesPerRound))
    await transaction(db, (tx) => purgeDeletedPost(tx, row));
}

async function purgeDeletedPost(tx: Tx, row: HiddenPostRow): Promise<void> {
  // Somebody has brought it back meanwhile.
  if (!(await lockHiddenPost(tx, row.id))) return;
  await deleteHiddenPost(tx, row.id);
  await insertLogEntry(tx, {
    moderatorId: null,
    action: 'purge',
    reason: row.reason,
    post: { kind: row.post_kind, id: row.post_id, questionId: row.question_id },
    memberId: row.author_id,
    before: {},
  });
  await publish(tx, 'care', { kind: 'care-changed' });
}
