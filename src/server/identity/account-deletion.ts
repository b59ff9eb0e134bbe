import { endQueueNotifications } from '#server/notifications/index.ts';
import { setTagFollow } from '#server/engagement/index.ts';
import type { PostKind } from '#shared/core/fields.ts';
import type { Logger } from 'pino';
import { recordSecurityEvent } from './security-events.ts';
import {
  buildProfileEvents,
  changeReviewQueue,
  deleteAnswer,
  deleteQuestion,
  deleteReply,
  purgePostsOf,
  releaseUploadsOf,
  removeAvatarOf,
} from '#server/posts/index.ts';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { publishAll } from '#server/core/events.ts';
import type { Viewer } from '#server/core/http.ts';
import type { JobDefinition, JobQueue } from '#server/core/job-queue.ts';
import type { PostsAfterDeletion } from '#shared/identity/accounts.ts';
import { formerMemberName } from '#shared/core/limits.ts';
import { blockEmails } from './blocked-emails.ts';
import { listMemberColumns } from './account-deletion-columns.ts';
import {
  anonymizeMember,
  anonymizeViews,
  deleteMemberRows,
  deleteSomeMemberRows,
  endRegistrationWait,
  findAccountDeletion,
  finishAccountDeletion,
  forgetSomeWebhookRequests,
  insertAccountDeletion,
  isMerging,
  listFollowedTags,
  listPendingAccountDeletions,
  listPostIds,
  listReservedEmails,
  lockAdminsAnd,
  lockMemberToDelete,
} from './account-deletion-queries.ts';

/** Queues the background part of an account deletion, in its transaction. Absent without jobs. */
export type QueueAccountDeletion = (tx: Tx, memberId: number) => Promise<void>;

/** Deletes the account of a member permanently, as `deleteAccountInTransaction`. */
export async function deleteAccount(
  db: Database,
  { viewer, ...deletion }: { viewer: Viewer } & Omit<AccountToDelete, 'memberId'>,
): Promise<void> {
  await transaction(db, (tx) => deleteAccountInTransaction(tx, { memberId: viewer.id, ...deletion }));
}

type AccountToDelete = {
  memberId: number;
  posts: PostsAfterDeletion;
  /** The secret of the installation, for blocked addresses. */
  secret: string;
  queueDeletion: QueueAccountDeletion | undefined;
};

/**
 * One transaction ends all access, removes everything that identifies the member and frees the email address, unless the
 * account is suspended or refused and the address was confirmed. The job (`createAccountDeletionJob`) removes the rest in batches, also after a crash.
 * @throws ProblemError 'signed-out' if the account is deleted already, 'last-admin', 'merge-running'
 */
export async function deleteAccountInTransaction(
  tx: Tx,
  { memberId, posts, secret, queueDeletion }: AccountToDelete,
): Promise<void> {
  const admins = await lockAdminsAnd(tx, memberId);
  const member = await lockMemberToDelete(tx, memberId);
  // A concurrent duplicate of the request.
  if (member === undefined) throw new ProblemError('signed-out');
  if (member.role === 'admin' && admins.every((id) => id === memberId)) throw new ProblemError('last-admin');
  // It would go on to move private data to the deleted account.
  if (await isMerging(tx, [memberId])) throw new ProblemError('merge-running');
  const { email, isConfirmed, blockedUntil } = member;
  if (blockedUntil !== null) {
    // An address that was not confirmed can be that of someone else.
    const own = email !== null && isConfirmed ? [email] : [];
    const addresses = [...own, ...(await listReservedEmails(tx, memberId))];
    await blockEmails(tx, { secret, addresses, until: blockedUntil });
  }
  for (const each of listMemberColumns('immediate')) await deleteMemberRows(tx, each, memberId);
  await deleteMemberRows(tx, { table: 'security_event', column: 'member_id' }, memberId);
  await endRegistrationWait(tx, memberId);
  await removeAvatarOf(tx, memberId);
  // While the member has a language.
  await recordSecurityEvent(tx, { memberId, event: 'account-deleted', to: email });
  await anonymizeMember(tx, { id: memberId, name: formerMemberName });
  await insertAccountDeletion(tx, { memberId, posts });
  await publishAll(tx, [
    ...(await endQueueNotifications(tx, 'application')),
    ...(await endQueueNotifications(tx, 'profile_claim')),
    { topic: 'moderation', event: { kind: 'moderation-changed' } },
    { topic: `member:${memberId}`, event: { kind: 'sessions-ended', sessionId: null, except: null } },
    ...buildProfileEvents([memberId]),
    { topic: `profile:${memberId}`, event: { kind: 'member-renamed' } },
  ]);
  await queueDeletion?.(tx, memberId);
}

const jobName = 'account-deletion';

export function createAccountDeletionQueue(jobs: JobQueue): QueueAccountDeletion {
  return (tx, memberId) => jobs.enqueue(tx, jobName, { key: String(memberId), data: { memberId } });
}

/** Queues the remaining work of all account deletions. Every node can do this at any time. */
export async function queueAccountDeletions(db: Database, jobs: JobQueue): Promise<void> {
  const queueDeletion = createAccountDeletionQueue(jobs);
  await transaction(db, async (tx) => {
    for (const memberId of await listPendingAccountDeletions(tx)) await queueDeletion(tx, memberId);
  });
}

/** Rows, or posts, per transaction or query. */
const batchSize = 500;

/** Milliseconds that one run of the job may take. The next minute's run continues. */
const maxJobMs = 60_000;

/** Seconds after which every request from before the account deletion has ended. */
const inFlightRequestSeconds = 120;

/**
 * Creates the job that removes what a deleted account left. Each step is a transaction that removes one batch, so an
 * interrupted job continues where it stopped, and two jobs at the same time do no harm.
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
        if (Date.now() > until) return log.info({ memberId }, 'account deletion continues in a minute');
        done = await step(db, memberId);
      } while (done > 0);
    }
    if (await finishAccountDeletion(db, { memberId, seconds: inFlightRequestSeconds }))
      log.info({ memberId }, 'account deletion finished');
  }
}

/** Removes one batch. Returns its size, 0 if nothing is left. */
type DeletionStep = (db: Database, memberId: number) => Promise<number>;

function listDeletionSteps(posts: PostsAfterDeletion): DeletionStep[] {
  const rows = [...listMemberColumns('immediate'), ...listMemberColumns('deferred')].map(
    (each): DeletionStep =>
      (db, memberId) =>
        deleteSomeMemberRows(db, each, { memberId, limit: batchSize }),
  );
  const steps: DeletionStep[] = [
    ...rows,
    forgetWebhookRequests,
    deleteHeldPosts,
    unfollowTags,
    anonymizeSomeViews,
  ];
  if (posts === 'keep') return [...steps, releaseUploads];
  const kinds: PostKind[] = ['question', 'answer', 'reply'];
  return [...steps, ...kinds.map(createDeletePostsStep), deleteHiddenPosts, releaseUploads];
}

const forgetWebhookRequests: DeletionStep = (db, memberId) =>
  forgetSomeWebhookRequests(db, { memberId, limit: batchSize });

const deleteHeldPosts: DeletionStep = (db, memberId) =>
  transaction(db, (tx) =>
    changeReviewQueue(tx, () =>
      deleteSomeMemberRows(tx, { table: 'held_post', column: 'member_id' }, { memberId, limit: batchSize }),
    ),
  );

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

/** Posts hidden or deleted by moderators cannot be restored after this. */
const deleteHiddenPosts: DeletionStep = (db, memberId) =>
  transaction(db, (tx) => purgePostsOf(tx, { authorId: memberId, limit: 20 }));

/** Pictures that no remaining post shows are deleted. */
const releaseUploads: DeletionStep = (db, memberId) =>
  transaction(db, (tx) => releaseUploadsOf(tx, memberId));

/** Deletes posts one by one, as their author would (docs/product.md 4.4 and 5.5). A run tries each post once. */
function createDeletePostsStep(kind: PostKind): DeletionStep {
  let before = Number.MAX_SAFE_INTEGER;
  return async (db, memberId) => {
    // A small batch, so that the job ends in time.
    const ids = await listPostIds(db, { kind, memberId, before, limit: 20 });
    before = ids.at(-1) ?? before;
    for (const id of ids) await ignoreNotFound(deletions[kind](db, { id, viewer: { id: memberId } }));
    return ids.length;
  };
}

const deletions = { question: deleteQuestion, answer: deleteAnswer, reply: deleteReply };

/** The post was deleted together with another one. */
async function ignoreNotFound(deletion: Promise<void>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    if (!(error instanceof ProblemError && error.kind === 'not-found')) throw error;
  }
}
