import { type Database, type Tx, transaction } from '#server/core/database.ts';
import { publish } from '#server/core/events.ts';
import type { JobDefinition, JobQueue } from '#server/core/job-queue.ts';
import { insertLogEntry } from './moderation-log-queries.ts';
import {
  applyTagProposals,
  closeOutdatedProposals,
  deleteOldRejectedPosts,
  purgePost,
  trimSpamTraining,
} from '#server/posts/index.ts';
import { listPurgeablePosts, type HiddenPostRow } from './hidden-posts-queries.ts';
import { deleteExpiredCloseVotes } from './close-votes-queries.ts';
import { purgeDeletedNotes } from './member-notes-queries.ts';
import { runActivityRemovals } from './activity-removal.ts';
import { settingCatalogue } from '#shared/core/setting-catalogue.ts';
import { runTagChanges } from './tag-changes.ts';

const jobName = 'moderation';

/** Seconds that one run may take. The run a minute later does what is left. */
const roundSeconds = 240;

/** After this many days, no vote to close a question counts, whatever the site setting is. */
const maxCloseVoteDays = settingCatalogue.closeVoteDays.max;

/** Posts that one run deletes permanently at most. */
const maxPurgesPerRound = 200;

/**
 * Continues removals, restorations, changes and proposals of tags, and deletes posts permanently after the retention
 * period.
 */
export function createModerationJob(db: Database): JobDefinition {
  return {
    name: jobName,
    retries: { limit: 0, delaySeconds: 1, maxDelaySeconds: 1 },
    timeoutSeconds: roundSeconds + 60,
    concurrency: 1,
    runsEvery: 'minute',
    async run() {
      const until = Date.now() + roundSeconds * 1_000;
      await runTagChanges(db, until);
      await closeOutdatedProposals(db);
      await applyTagProposals(db, until);
      await runActivityRemovals(db, until);
      await purgeDeletedPosts(db);
      await trimSpamTraining(db);
      await deleteOldRejectedPosts(db);
      await deleteExpiredCloseVotes(db, maxCloseVoteDays);
      await purgeDeletedNotes(db);
    },
  };
}

/** Starts the job in the background. If one is running, the next run does the work. */
export function queueModerationJob(tx: Tx, jobs: JobQueue): Promise<void> {
  return jobs.enqueue(tx, jobName, { key: jobName, data: {} });
}

/** Permanently deletes what moderators deleted 30 days ago. */
export async function purgeDeletedPosts(db: Database): Promise<void> {
  for (const row of await listPurgeablePosts(db, maxPurgesPerRound))
    await transaction(db, (tx) => purgeDeletedPost(tx, row));
}

async function purgeDeletedPost(tx: Tx, row: HiddenPostRow): Promise<void> {
  // A moderator has restored it meanwhile.
  if (!(await purgePost(tx, row.id))) return;
  await insertLogEntry(tx, {
    moderatorId: null,
    action: 'purge',
    reason: row.reason,
    post: { kind: row.post_kind, id: row.post_id, questionId: row.question_id },
    memberId: row.author_id,
    before: {},
  });
  await publish(tx, 'moderation', { kind: 'moderation-changed' });
}
