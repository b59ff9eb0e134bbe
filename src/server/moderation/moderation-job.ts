import { type Database, type Tx, transaction } from '#server/core/database.ts';
import { publish } from '#server/core/events.ts';
import type { JobDefinition, JobQueue } from '#server/core/job-queue.ts';
import { runAll } from '#server/core/steps.ts';
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

/** Seconds that a run may take for each kind of long work. The run a minute later does what is left. */
const secondsPerKind = 80;

/** After this many days, no vote to close a question counts, whatever the site setting is. */
const maxCloseVoteDays = settingCatalogue.closeVoteDays.max;

/** Posts that one run deletes permanently at most. */
const maxPurgesPerRound = 200;

/**
 * Continues removals, restorations, changes and proposals of tags, and deletes posts permanently after the retention
 * period. What fails does not stop the rest, and the run fails at its end.
 */
export function createModerationJob(db: Database): JobDefinition {
  return {
    name: jobName,
    retries: { limit: 0, delaySeconds: 1, maxDelaySeconds: 1 },
    timeoutSeconds: 3 * secondsPerKind + 60,
    concurrency: 1,
    runsEvery: 'minute',
    run: () =>
      runAll([
        () => runTagChanges(db, getEnd()),
        () => closeOutdatedProposals(db),
        () => applyTagProposals(db, getEnd()),
        () => runActivityRemovals(db, getEnd()),
        () => purgeDeletedPosts(db),
        () => trimSpamTraining(db),
        () => deleteOldRejectedPosts(db),
        () => deleteExpiredCloseVotes(db, maxCloseVoteDays),
        () => purgeDeletedNotes(db),
      ]),
  };
}

const getEnd = () => Date.now() + secondsPerKind * 1_000;

/** Starts the job in the background. If one is running, the next run does the work. */
export function queueModerationJob(tx: Tx, jobs: JobQueue): Promise<void> {
  return jobs.enqueue(tx, jobName, { key: jobName, data: {} });
}

/** Permanently deletes what moderators deleted 30 days ago. */
export async function purgeDeletedPosts(db: Database): Promise<void> {
  const rows = await listPurgeablePosts(db, maxPurgesPerRound);
  await runAll(rows.map((row) => () => transaction(db, (tx) => purgeDeletedPost(tx, row))));
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
