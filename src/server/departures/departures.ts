import type { Logger } from 'pino';
import { tellOfSecurityEvent } from '#server/accounts/security-events.ts';
import { deleteAnswer } from '#server/answers/answers.ts';
import { type Database, transaction, type Tx } from '#server/platform/database.ts';
import { ProblemError } from '#server/platform/errors.ts';
import { publishAll } from '#server/platform/events.ts';
import type { Viewer } from '#server/platform/http.ts';
import type { JobKind, Jobs } from '#server/platform/jobs/jobs.ts';
import type { PostKind } from '#server/posts/post.ts';
import { profilesChanged } from '#server/posts/told.ts';
import { deleteQuestion } from '#server/questions/deletion.ts';
import { deleteReply } from '#server/replies/replies.ts';
import { setTopicFollow } from '#server/topics/topics.ts';
import type { DepartedPosts } from '#shared/departure.ts';
import { formerMember } from '#shared/former-member.ts';
import { belongingsThat } from './belongings.ts';
import {
  deleteAll,
  deleteSome,
  departing,
  departureOf,
  endDeparture,
  followedTopics,
  forgetViews,
  insertDeparture,
  lockLeaver,
  makeAnonymous,
  postsBy,
} from './queries.ts';

/** Puts what follows a departure on its way, in its transaction. Absent where there are no jobs. */
export type FollowDeparture = (tx: Tx, memberId: number) => Promise<void>;

/**
 * The member leaves for good: in one transaction nobody can sign in any more, nothing says who they were, and their
 * address is free. What else they leave behind goes bit by bit (`departureJob`), also after a crash.
 */
export async function leave(
  db: Database,
  { viewer, posts, follow }: { viewer: Viewer; posts: DepartedPosts; follow: FollowDeparture | undefined },
): Promise<void> {
  const { id: memberId } = viewer;
  await transaction(db, async (tx) => {
    const member = await lockLeaver(tx, memberId);
    // The same request a second time, at the same moment.
    if (member === undefined) throw new ProblemError('signed-out', 'Please sign in first.');
    for (const each of belongingsThat('at once')) await deleteAll(tx, each, memberId);
    await deleteAll(tx, { table: 'security_event', column: 'member_id' }, memberId);
    await makeAnonymous(tx, { id: memberId, name: formerMember });
    await insertDeparture(tx, { memberId, posts });
    await tellOfSecurityEvent(tx, { memberId, event: 'account-deleted', to: member.email });
    await publishAll(tx, [
      { topic: `member:${memberId}`, event: { kind: 'sessions-ended', sessionId: null, except: null } },
      ...profilesChanged([memberId]),
      { topic: `profile:${memberId}`, event: { kind: 'member-renamed' } },
    ]);
    await follow?.(tx, memberId);
  });
}

const jobName = 'departure';

export function followDepartures(jobs: Jobs): FollowDeparture {
  return (tx, memberId) => jobs.add(tx, jobName, { key: String(memberId), data: { memberId } });
}

/** Queues what is left to do of every departure; every node may, at any time. */
export async function queueDepartures(db: Database, jobs: Jobs): Promise<void> {
  const follow = followDepartures(jobs);
  await transaction(db, async (tx) => {
    for (const memberId of await departing(tx)) await follow(tx, memberId);
  });
}

/** Rows, or posts, that one transaction or one look takes. */
const batch = 500;

/** A job ends after so long, in milliseconds; the next minute's goes on. */
const patience = 60_000;

/** Requests from before the departure have ended by then, whatever they wait for; in seconds. */
const stragglers = 120;

/**
 * Takes what a member left behind. Each step is a transaction of its own that takes some of what is there, so that one
 * that was killed goes on where it was, and two at the same time are as good as one.
 */
export function departureJob({ db, log }: { db: Database; log: Logger }) {
  return {
    name: jobName,
    retries: { limit: 20, seconds: 5, most: 600 },
    seconds: 300,
    atOnce: 1,
    work,
  } satisfies JobKind<{ memberId: number }>;

  async function work({ memberId }: { memberId: number }): Promise<void> {
    const posts = await departureOf(db, memberId);
    if (posts === undefined) return;
    const until = Date.now() + patience;
    for (const step of stepsOf(posts)) {
      let done: number;
      do {
        if (Date.now() > until) return log.info({ memberId }, 'a departure goes on in a minute');
        done = await step(db, memberId);
      } while (done > 0);
    }
    if (await endDeparture(db, { memberId, seconds: stragglers }))
      log.info({ memberId }, 'nothing private is left of a member who left');
  }
}

/** Takes some of what is there. Returns how much; 0 when nothing is left. */
type Step = (db: Database, memberId: number) => Promise<number>;

function stepsOf(posts: DepartedPosts): Step[] {
  const rows = [...belongingsThat('at once'), ...belongingsThat('soon')].map(
    (each): Step =>
      (db, memberId) =>
        deleteSome(db, each, { memberId, limit: batch }),
  );
  const kept: Step[] = [...rows, unfollowTopics, takeViews];
  if (posts === 'stay') return kept;
  const kinds: PostKind[] = ['question', 'answer', 'reply'];
  return [...kept, ...kinds.map(removePosts), removePutAway];
}

async function unfollowTopics(db: Database, memberId: number): Promise<number> {
  const topics = await followedTopics(db, { memberId, limit: batch });
  for (const tag of topics)
    await transaction(db, async (tx) =>
      publishAll(tx, await setTopicFollow(tx, { tag, memberId, following: false })),
    );
  return topics.length;
}

const takeViews: Step = (db, memberId) =>
  transaction(db, (tx) => forgetViews(tx, { memberId, limit: batch }));

/** What operators have hidden or deleted never comes back. */
const removePutAway: Step = (db, memberId) =>
  deleteSome(db, { table: 'hidden_post', column: 'author_id' }, { memberId, limit: batch });

/** As their author would delete them, one by one (docs/product.md 4.4 and 6.5); each is tried once a job. */
function removePosts(kind: PostKind): Step {
  let before = Number.MAX_SAFE_INTEGER;
  return async (db, memberId) => {
    // Few, so that the time of a job is kept.
    const ids = await postsBy(db, { kind, memberId, before, limit: 20 });
    before = ids.at(-1) ?? before;
    for (const id of ids) await unlessGone(deletions[kind](db, { id, viewer: { id: memberId } }));
    return ids.length;
  };
}

const deletions = { question: deleteQuestion, answer: deleteAnswer, reply: deleteReply };

/** It went with another post meanwhile. */
async function unlessGone(deletion: Promise<void>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    if (!(error instanceof ProblemError && error.code === 'not-found')) throw error;
  }
}
