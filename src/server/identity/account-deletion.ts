import { setTagFollow } from '#server/engagement/follows-tags.ts';
import type { PostKind } from '#shared/core/fields.ts';
import type { Logger } from 'pino';
import { recordSecurityEvent } from './security-events.ts';
import { deleteAnswer } from '#server/posts/answers.ts';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { publishAll } from '#server/core/events.ts';
import type { Viewer } from '#server/core/http.ts';
import type { JobDefinition, JobQueue } from '#server/core/job-queue.ts';
import { buildProfileEvents } from '#server/posts/posts-events.ts';
import { deleteQuestion } from '#server/posts/questions-deletion.ts';
import { deleteReply } from '#server/posts/replies.ts';
import type { PostsAfterDeletion } from '#shared/identity/accounts.ts';
import { formerMemberName } from '#shared/core/limits.ts';
import { listMemberColumns } from './account-deletion-columns.ts';
import {
  anonymizeMember,
  anonymizeViews,
  deleteMemberRows,
  deleteSomeMemberRows,
  findAccountDeletion,
  finishAccountDeletion,
  insertAccountDeletion,
  listFollowedTags,
  listPendingAccountDeletions,
  listPostIds,
  lockMemberToDelete,
} from './account-deletion-queries.ts';

/** Puts what follows a departure on its way, in its transaction. Absent where there are no jobs. */
export type QueueAccountDeletion = (tx: Tx, memberId: number) => Promise<void>;

/**
 * The member leaves for good: in one transaction nobody can sign in any more, nothing says who they were, and their
 * address is free. What else they leave behind goes bit by bit (`departureJob`), also after a crash.
 */
export async function deleteAccount(
  db: Database,
  {
    viewer,
    posts,
    queueDeletion,
  }: { viewer: Viewer; posts: PostsAfterDeletion; queueDeletion: QueueAccountDeletion | undefined },
): Promise<void> {
  const { id: memberId } = viewer;
  await transaction(db, async (tx) => {
    const member = await lockMemberToDelete(tx, memberId);
    // The same request a second time, at the same moment.
    if (member === undefined) throw new ProblemError('signed-out', 'Please sign in first.');
    for (const each of listMemberColumns('at once')) await deleteMemberRows(tx, each, memberId);
    await deleteMemberRows(tx, { table: 'security_event', column: 'member_id' }, memberId);
    await anonymizeMember(tx, { id: memberId, name: formerMemberName });
    await insertAccountDeletion(tx, { memberId, posts });
    await recordSecurityEvent(tx, { memberId, event: 'account-deleted', to: member.email });
    await publishAll(tx, [
      { topic: `member:${memberId}`, event: { kind: 'sessions-ended', sessionId: null, except: null } },
      ...buildProfileEvents([memberId]),
      { topic: `profile:${memberId}`, event: { kind: 'member-renamed' } },
    ]);
    await queueDeletion?.(tx, memberId);
  });
}

const jobName = 'departure';

export function createAccountDeletionQueue(jobs: JobQueue): QueueAccountDeletion {
  return (tx, memberId) => jobs.enqueue(tx, jobName, { key: String(memberId), data: { memberId } });
}

/** Queues what is left to do of every departure; every node may, at any time. */
export async function queueAccountDeletions(db: Database, jobs: JobQueue): Promise<void> {
  const queueDeletion = createAccountDeletionQueue(jobs);
  await transaction(db, async (tx) => {
    for (const memberId of await listPendingAccountDeletions(tx)) await queueDeletion(tx, memberId);
  });
}

/** Rows, or posts, that one transaction or one look takes. */
const batchSize = 500;

/** A job ends after so long, in milliseconds; the next minute's goes on. */
const maxJobMs = 60_000;

/** Requests from before the departure have ended by then, whatever they wait for; in seconds. */
const inFlightRequestSeconds = 120;

/**
 * Takes what a member left behind. Each step is a transaction of its own that takes some of what is there, so that one
 * that was killed goes on where it was, and two at the same time are as good as one.
 */
export function createAccountDeletionJob({ db, log }: { db: Database; log: Logger }) {
  return {
    name: jobName,
    retries: { limit: 20, delaySeconds: 5, maxDelaySeconds: 600 },
    timeoutSeconds: 300,
    concurrency: 1,
    run: work,
  } satisfies JobDefinition<{ memberId: number }>;

  async function work({ memberId }: { memberId: number }): Promise<void> {
    const posts = await findAccountDeletion(db, memberId);
    if (posts === undefined) return;
    const until = Date.now() + maxJobMs;
    for (const step of listDeletionSteps(posts)) {
      let done: number;
      do {
        if (Date.now() > until) return log.info({ memberId }, 'a departure goes on in a minute');
        done = await step(db, memberId);
      } while (done > 0);
    }
    if (await finishAccountDeletion(db, { memberId, seconds: inFlightRequestSeconds }))
      log.info({ memberId }, 'nothing private is left of a member who left');
  }
}

/** Takes some of what is there. Returns how much; 0 when nothing is left. */
type DeletionStep = (db: Database, memberId: number) => Promise<number>;

function listDeletionSteps(posts: PostsAfterDeletion): DeletionStep[] {
  const rows = [...listMemberColumns('at once'), ...listMemberColumns('soon')].map(
    (each): DeletionStep =>
      (db, memberId) =>
        deleteSomeMemberRows(db, each, { memberId, limit: batchSize }),
  );
  const steps: DeletionStep[] = [...rows, unfollowTags, anonymizeSomeViews];
  if (posts === 'stay') return steps;
  const kinds: PostKind[] = ['question', 'answer', 'reply'];
  return [...steps, ...kinds.map(createDeletePostsStep), deleteHiddenPosts];
}

async function unfollowTags(db: Database, memberId: number): Promise<number> {
  const tags = await listFollowedTags(db, { memberId, limit: batchSize });
  for (const tag of tags)
    await transaction(db, async (tx) =>
      publishAll(tx, await setTagFollow(tx, { tag, memberId, following: false })),
    );
  return tags.length;
}

const anonymizeSomeViews: DeletionStep = (db, memberId) =>
  transaction(db, (tx) => anonymizeViews(tx, { memberId, limit: batchSize }));

/** What operators have hidden or deleted never comes back. */
const deleteHiddenPosts: DeletionStep = (db, memberId) =>
  deleteSomeMemberRows(db, { table: 'hidden_post', column: 'author_id' }, { memberId, limit: batchSize });

/** As their author would delete them, one by one (docs/product.md 4.4 and 6.5); each is tried once a job. */
function createDeletePostsStep(kind: PostKind): DeletionStep {
  let before = Number.MAX_SAFE_INTEGER;
  return async (db, memberId) => {
    // Few, so that the time of a job is kept.
    const ids = await listPostIds(db, { kind, memberId, before, limit: 20 });
    before = ids.at(-1) ?? before;
    for (const id of ids) await ignoreNotFound(deletions[kind](db, { id, viewer: { id: memberId } }));
    return ids.length;
  };
}

const deletions = { question: deleteQuestion, answer: deleteAnswer, reply: deleteReply };

/** It went with another post meanwhile. */
async function ignoreNotFound(deletion: Promise<void>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    if (!(error instanceof ProblemError && error.code === 'not-found')) throw error;
  }
}
