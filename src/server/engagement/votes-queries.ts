import type { PostKind, VoteDirection } from '#shared/core/fields.ts';
import { type RawBuilder, sql } from 'kysely';
import { writeAnswerScores, writeQuestionSortKeys } from '#server/posts/index.ts';

/** A post that can be voted on. */
export type VoteTarget = { kind: PostKind; id: number };

/**
 * A post with its counts and its location. `views` and `answer_count` belong to a question and are 0 for other posts.
 */
export type VotedPost = {
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

/**
 * Locks posts of one kind in the order of their ids, so that concurrent votes on a post are counted one after the
 * other.
 */
export function lockPostsStatement({ kind, ids }: { kind: PostKind; ids: readonly number[] }) {
  const visible = kind === 'reply' ? sql`and deleted_at is null` : sql``;
  return sql<VotedPost & { id: number }>`
    select id, author_id, upvotes, downvotes, ${locationColumns[kind]} from ${sql.table(kind)}
    where id = any(${[...ids]}::bigint[]) ${visible} order by id for no key update`;
}

const locationColumns: Readonly<Record<PostKind, ReturnType<typeof sql>>> = {
  question: sql`id as question_id, null::bigint as answer_id, null::bigint as reply_id, views, answer_count, lock_reason`,
  answer: sql`question_id, id as answer_id, null::bigint as reply_id, 0 as views, 0 as answer_count,
    (select lock_reason from question where question.id = answer.question_id)`,
  reply: sql`question_id, answer_id, id as reply_id, 0 as views, 0 as answer_count,
    (select lock_reason from question where question.id = reply.question_id)`,
};

/** One member's vote on a post of one kind. `castAt`: null for now. */
type MemberVote = { id: number; memberId: number; vote: VoteDirection; castAt: Date | null };

type Voter = Pick<MemberVote, 'id' | 'memberId'>;

/** A vote as it is stored. */
export type StoredVote = { vote: VoteDirection; castAt: Date };

/** Selects the votes of these members on these posts. Run it after the posts are locked. */
export function selectVotesOfMembers({ kind, voters }: { kind: PostKind; voters: readonly Voter[] }) {
  const column = sql.ref(`${kind}_id`);
  return sql<MemberVote & { castAt: Date }>`
    select ${column} as id, member_id as "memberId", direction as vote, created_at as "castAt"
    from unnest(${idsOf(voters)}::bigint[], ${membersOf(voters)}::bigint[]) as wanted (id, voter)
    join vote on ${column} = wanted.id and member_id = wanted.voter`;
}

/** The statements that write votes and counts for posts of one kind. Run each once, in any order. */
export function changeVotesStatements({ kind, votes, posts }: VotesOfKind): RawBuilder<unknown>[] {
  const added = votes.flatMap(({ before, vote, ...voter }) =>
    before === null && vote !== null ? [{ ...voter, vote }] : [],
  );
  const switched = votes.filter(({ before, vote }) => before !== null && vote !== null);
  const removed = votes.filter(({ vote }) => vote === null);
  return [
    ...(added.length === 0 ? [] : [insertVotesStatement(kind, added)]),
    ...(switched.length === 0 ? [] : [switchVotesStatement(kind, switched)]),
    ...(removed.length === 0 ? [] : [deleteVotesStatement(kind, removed)]),
    updateCountsStatement(kind, posts),
  ];
}

/** Changed votes on locked posts of one kind, and the changes of the posts' counts. */
export type VotesOfKind = {
  kind: PostKind;
  votes: readonly (Omit<MemberVote, 'vote'> & { before: StoredVote | null; vote: VoteDirection | null })[];
  posts: readonly { id: number; up: number; down: number }[];
};

const insertVotesStatement = (kind: PostKind, votes: readonly MemberVote[]) => sql`
  insert into vote (${sql.ref(`${kind}_id`)}, member_id, direction, created_at)
  select id, voter, direction, coalesce(cast_at, now())
  from unnest(
    ${idsOf(votes)}::bigint[], ${membersOf(votes)}::bigint[], ${votes.map((each) => each.vote)}::text[],
    ${votes.map(({ castAt }) => castAt)}::timestamptz[]
  ) as added (id, voter, direction, cast_at)`;

const switchVotesStatement = (kind: PostKind, votes: readonly Omit<MemberVote, 'vote'>[]) => sql`
  update vote set direction = case direction when 'up' then 'down' else 'up' end, created_at = coalesce(cast_at, now())
  from unnest(
    ${idsOf(votes)}::bigint[], ${membersOf(votes)}::bigint[], ${votes.map(({ castAt }) => castAt)}::timestamptz[]
  ) as wanted (id, voter, cast_at)
  where ${sql.ref(`${kind}_id`)} = wanted.id and member_id = wanted.voter`;

const deleteVotesStatement = (kind: PostKind, voters: readonly Voter[]) => sql`
  delete from vote
  using unnest(${idsOf(voters)}::bigint[], ${membersOf(voters)}::bigint[]) as wanted (id, voter)
  where ${sql.ref(`${kind}_id`)} = wanted.id and member_id = wanted.voter`;

const idsOf = (voters: readonly Voter[]) => voters.map(({ id }) => id);
const membersOf = (voters: readonly Voter[]) => voters.map(({ memberId }) => memberId);

const updateCountsStatement = (kind: PostKind, posts: VotesOfKind['posts']) => sql`
  with counted as (
    update ${sql.table(kind)} post set upvotes = upvotes + change.up, downvotes = downvotes + change.down
    from unnest(
      ${posts.map(({ id }) => id)}::bigint[], ${posts.map(({ up }) => up)}::bigint[],
      ${posts.map(({ down }) => down)}::bigint[]
    ) as change (id, up, down)
    where post.id = change.id returning post.*
  ) ${writeSortKeys[kind]}`;

/** Replies are not sorted by votes. */
const writeSortKeys: Readonly<Record<PostKind, RawBuilder<unknown>>> = {
  question: sql.raw(writeQuestionSortKeys('counted')),
  answer: sql.raw(writeAnswerScores('counted')),
  reply: sql`select`,
};
