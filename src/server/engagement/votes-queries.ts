import type { PostKind, VoteDirection } from '#shared/core/fields.ts';
import { serverLimits } from '#shared/core/limits.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '#server/core/database.ts';
import { insertUpvoteNotifications, type UpvoteNotification } from '#server/notifications/index.ts';
import {
  addPointsOf,
  appendPointsOf,
  type EarnedPoints,
  lockQuestionsOf,
  selectEarned,
  writeAnswerScores,
  writeQuestionSortKeys,
} from '#server/posts/index.ts';

/** A post that can be voted on. */
export type VoteTarget = { kind: PostKind; id: number };

/**
 * A post with its counts and its location. `views` and `answer_count` belong to a question and are 0 for other posts.
 */
export type VotedPost = {
  id: number;
  author_id: number | null;
  upvotes: number;
  downvotes: number;
  question_id: number;
  answer_id: number | null;
  reply_id: number | null;
  views: number;
  answer_count: number;
  /** Reason of the lock of the question; null if it is not locked. */
  lock_reason: string | null;
};

export type Voter = { postId: number; memberId: number };

/** A vote as it is stored. */
export type StoredVote = { vote: VoteDirection; castAt: Date };

/** A member's present vote on a post. `network`: where the member registered less than a few days ago, else null. */
export type VoterRow = Voter & {
  vote: VoteDirection | null;
  castAt: Date | null;
  network: string | null;
};

/**
 * Locks posts of one kind, and reads them and the votes of these members on them: questions first, then the posts in
 * the order of their ids, so that concurrent votes on a post are counted one after the other.
 */
export async function lockVotedPosts(
  tx: Tx,
  { kind, voters }: { kind: PostKind; voters: readonly Voter[] },
): Promise<{ posts: VotedPost[]; voters: VoterRow[] }> {
  const ids = [...new Set(voters.map(({ postId }) => postId))];
  if (kind !== 'question') await lockQuestionsOf(tx, { kind, ids });
  const posts = await selectAndLockPosts(kind, ids).execute(tx);
  // A statement sees what was committed before it began, so the votes are read after all locks are taken.
  const found = await selectVoters(kind, voters).execute(tx);
  return { posts: posts.rows, voters: found.rows };
}

const selectAndLockPosts = (kind: PostKind, ids: readonly number[]) => sql<VotedPost>`
  select id, author_id, upvotes, downvotes, ${locationColumns[kind]} from ${sql.table(kind)}
  where id = any(${[...ids]}::bigint[]) ${kind === 'reply' ? sql`and deleted_at is null` : sql``}
  order by id for no key update`;

const locationColumns: Readonly<Record<PostKind, RawBuilder<unknown>>> = {
  question: sql`id as question_id, null::bigint as answer_id, null::bigint as reply_id, views, answer_count, lock_reason`,
  answer: sql`question_id, id as answer_id, null::bigint as reply_id, 0 as views, 0 as answer_count,
    (select lock_reason from question where question.id = answer.question_id)`,
  reply: sql`question_id, answer_id, id as reply_id, 0 as views, 0 as answer_count,
    (select lock_reason from question where question.id = reply.question_id)`,
};

const selectVoters = (kind: PostKind, voters: readonly Voter[]) => sql<VoterRow>`
  select post_id as "postId", voter as "memberId", direction as vote, vote.created_at as "castAt", network
  from unnest(
    ${voters.map(({ postId }) => postId)}::bigint[], ${voters.map(({ memberId }) => memberId)}::bigint[]
  ) as wanted (post_id, voter)
  left join vote on vote.${sql.ref(`${kind}_id`)} = post_id and vote.member_id = voter
  left join registration on registration.member_id = voter and ${isNewMember}`;

/** SQL condition: the registration is so recent that votes of the member are limited per network. */
export const isNewMember = sql`registration.registered_at > now() - make_interval(days => ${sql.lit(serverLimits.newMemberDays)})`;

/** The changes of votes on locked posts of one kind. */
export type VoteChanges = {
  kind: PostKind;
  /** `vote`: null for none. `castAt`: null for now. */
  votes: readonly (Voter & {
    questionId: number;
    stored: StoredVote | null;
    vote: VoteDirection | null;
    castAt: Date | null;
  })[];
  counts: readonly { postId: number; up: number; down: number }[];
  earned: readonly EarnedPoints[];
  upvotes: readonly UpvoteNotification[];
};

/** All changes of votes as CTEs of one statement. `notified` has the recipients of notifications. */
export function changeVotes({ kind, votes, counts, earned, upvotes }: VoteChanges): RawBuilder<unknown> {
  const votedPost = sql.ref(`vote.${kind}_id`);
  return sql`
    with changed as materialized (
      select * from unnest(
        ${votes.map(({ postId }) => postId)}::bigint[], ${votes.map(({ memberId }) => memberId)}::bigint[],
        ${votes.map(({ stored }) => stored !== null)}::boolean[], ${votes.map(({ vote }) => vote)}::text[],
        ${votes.map(({ castAt }) => castAt)}::timestamptz[]
      ) as changed (post_id, voter, is_stored, direction, cast_at)
    ), added as (
      insert into vote (${sql.ref(`${kind}_id`)}, member_id, direction, created_at)
      select post_id, voter, direction, coalesce(cast_at, now()) from changed where not is_stored
    ), switched as (
      update vote set direction = changed.direction, created_at = coalesce(cast_at, now())
      from changed
      where is_stored and changed.direction is not null and ${votedPost} = post_id and vote.member_id = voter
    ), removed as (
      delete from vote using changed
      where changed.direction is null and ${votedPost} = post_id and vote.member_id = voter
    ), counted as (
      update ${sql.table(kind)} post set upvotes = upvotes + up, downvotes = downvotes + down
      from unnest(
        ${counts.map(({ postId }) => postId)}::bigint[], ${counts.map(({ up }) => up)}::bigint[],
        ${counts.map(({ down }) => down)}::bigint[]
      ) as change (post_id, up, down)
      where post.id = post_id
      returning ${returnedColumns[kind]}
    ), sort_keys as (
      ${writeSortKeys[kind]}
    ), earned as materialized (
      ${selectEarned(earned)}
    ), rewarded as (
      ${addPointsOf('earned')}
    ), counted_for_author as (
      ${appendPointsOf('earned')}
    ), notified as (
      ${insertUpvoteNotifications(upvotes)}
    )`;
}

/** What the sort keys of questions and answers are copied from. Replies are not sorted by votes. */
const returnedColumns: Readonly<Record<PostKind, RawBuilder<unknown>>> = {
  question: sql`id, created_at, active_at, upvotes, answer_count`,
  answer: sql`id, question_id, upvotes, downvotes, created_at`,
  reply: sql`id`,
};
const writeSortKeys: Readonly<Record<PostKind, RawBuilder<unknown>>> = {
  question: sql.raw(writeQuestionSortKeys('counted')),
  answer: sql.raw(writeAnswerScores('counted')),
  reply: sql`select`,
};
