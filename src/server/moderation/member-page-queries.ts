import { type RawBuilder, sql } from 'kysely';
import { isBefore } from '#server/core/cursor.ts';
import type { Reader } from '#server/core/database.ts';
import { jsonTime, unnamedMember } from '#server/core/sql.ts';
import { hiddenPostTexts } from '#server/posts/index.ts';
import type { PostKind } from '#shared/core/fields.ts';
import type {
  MemberReport,
  MemberReportsFilter,
  MemberSignIn,
  NetworkAccounts,
} from '#shared/moderation/member-page.ts';

export type MemberPostRow = {
  kind: PostKind;
  id: number;
  question_id: number;
  title: string;
  /** The beginning of the text. */
  content: string;
  created_at: Date;
  status: 'visible' | 'hidden' | 'deleted' | 'held' | 'rejected';
  reason: string | null;
  objection: string | null;
  is_decided: boolean;
  /** The id of the row of `hidden_post` or `held_post`, for the cursor. */
  list_id: number;
};

/** Characters of a text that are read for its excerpt. */
const beginning = sql.lit(1_000);

/** The order of posts of the same time. */
const ranks = { question: 0, answer: 1, reply: 2 } as const satisfies Record<PostKind, number>;

/** A post in the list: of posts with the same time, questions come first, then the latest id. */
export type PostPosition = { at: Date; rank: number; id: number };

export const toPostPosition = (row: MemberPostRow): PostPosition => ({
  at: row.created_at,
  rank: ranks[row.kind],
  id: row.id,
});

/**
 * The visible posts of a member, the latest first. Each kind is read in the order of its index (question_author,
 * answer_author, reply_author_time).
 */
export async function listVisiblePosts(
  db: Reader,
  { memberId, before, limit }: { memberId: number; before: PostPosition | null; limit: number },
): Promise<MemberPostRow[]> {
  const select = (kind: PostKind) => sql`(
    select ${sql.lit(kind)} as kind, ${sql.lit(ranks[kind])} as rank, id,
      ${kind === 'question' ? sql`id` : sql`question_id`} as question_id,
      left(content, ${beginning}) as content, created_at
    from ${sql.table(kind)} post
    where author_id = ${memberId} ${kind === 'reply' ? sql`and deleted_at is null` : sql``}
      and ${isAfter(kind, before)}
    order by created_at desc, id desc limit ${sql.lit(limit)}
  )`;
  const { rows } = await sql<MemberPostRow>`
    select post.kind, post.id, post.question_id, question.title, post.content, post.created_at, 'visible' as status,
      null as reason, null as objection, false as is_decided, post.id as list_id
    from (
      select * from (${select('question')} union all ${select('answer')} union all ${select('reply')}) each
      order by created_at desc, rank, id desc limit ${sql.lit(limit)}
    ) post join question on question.id = post.question_id
    order by post.created_at desc, post.rank, post.id desc`.execute(db);
  return rows;
}

function isAfter(kind: PostKind, before: PostPosition | null): RawBuilder<unknown> {
  if (before === null) return sql`true`;
  const { at, rank, id } = before;
  if (ranks[kind] > rank) return sql`created_at <= ${at}`;
  return ranks[kind] === rank ? sql`(created_at, id) < (${at}, ${id})` : sql`created_at < ${at}`;
}

type ListWindow = { memberId: number; before: number | null; limit: number };

/** The posts of a member that moderators hid or deleted, the latest removal first. */
export async function listHiddenPostsOf(
  db: Reader,
  { memberId, before, limit }: ListWindow,
): Promise<MemberPostRow[]> {
  const { rows } = await sql<MemberPostRow>`
    select post_kind as kind, post_id as id, question_id, ${hiddenPostTexts}, created_at, status, reason, objection,
      objection_decided_at is not null as is_decided, id as list_id
    from hidden_post where author_id = ${memberId} and ${isBefore(sql`id`, before)}
    order by hidden_post.id desc limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

/** The posts of a member that wait for a moderator, or were rejected. */
export async function listHeldPostsOf(
  db: Reader,
  { memberId, before, limit }: ListWindow,
): Promise<MemberPostRow[]> {
  const { rows } = await sql<MemberPostRow>`
    select post_kind as kind, post_id as id, coalesce(held.question_id, held.post_id) as question_id,
      coalesce(held.title, question.title, '') as title, left(held.content, ${beginning}) as content, held.created_at,
      case when rejected_at is null then 'held' else 'rejected' end as status, rejection_reason as reason,
      null as objection, false as is_decided, held.id as list_id
    from held_post held left join base_question question on question.id = held.question_id
    where member_id = ${memberId} and ${isBefore(sql`held.id`, before)}
    order by held.id desc limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

/** Reports on posts of a member, or by the member, the latest first. */
export async function listReportsOf(
  db: Reader,
  { memberId, show, before, limit }: ListWindow & { show: MemberReportsFilter },
): Promise<MemberReport[]> {
  const whose = show === 'about' ? sql`report.author_id` : sql`report.member_id`;
  const { rows } = await sql<MemberReport>`
    select report.id, post_kind as kind, post_id as "postId", question.id as "questionId", question.title, reason, note,
      ${jsonTime(sql`report.created_at`)} as "createdAt", outcome,
      ${
        show === 'about'
          ? sql`null`
          : sql`(
        select json_build_object('id', id, 'displayName', coalesce(display_name, ${unnamedMember}))
        from member where member.id = report.author_id
      )`
      } as author
    from report left join base_question question on question.id = case post_kind
      when 'question' then post_id
      when 'answer' then (select question_id from base_answer where base_answer.id = post_id)
      else (select question_id from base_reply where base_reply.id = post_id)
    end
    where ${whose} = ${memberId} and ${isBefore(sql`report.id`, before)}
    order by report.id desc limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

export async function listSignIns(
  db: Reader,
  { memberId, before, limit, withAddresses }: ListWindow & { withAddresses: boolean },
): Promise<MemberSignIn[]> {
  const { rows } = await sql<MemberSignIn>`
    select id, ${jsonTime(sql`created_at`)} as at, method, user_agent as "userAgent", network,
      ${withAddresses ? sql`address` : sql`null`} as address
    from sign_in where member_id = ${memberId} and ${isBefore(sql`id`, before)}
    order by id desc limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

/** The member and the network of a sign-in; undefined if it is not stored any more. */
export async function findSignIn(db: Reader, id: number) {
  const { rows } = await sql<{ member_id: number; network: string | null }>`
    select member_id, network from sign_in where id = ${id}`.execute(db);
  return rows[0];
}

/**
 * Other accounts that signed in from a network, those that registered last first. Reads one entry of the index
 * sign_in_network per account, however often each of them signed in.
 */
export async function listNetworkAccounts(
  db: Reader,
  {
    network,
    except,
    before,
    limit,
  }: { network: string; except: number; before: number | null; limit: number },
): Promise<NetworkAccounts['items']> {
  const next = (condition: RawBuilder<unknown>) => sql`(
    select member_id, created_at from sign_in
    where network = ${network} and ${condition} order by member_id desc, id desc limit 1
  )`;
  const { rows } = await sql<NetworkAccounts['items'][number]>`
    with recursive account as (
      ${next(isBefore(sql`member_id`, before))}
      union all
      select following.* from account, lateral ${next(sql`member_id < account.member_id`)} following
    )
    select member.id, coalesce(display_name, ${unnamedMember}) as "displayName", avatar,
      ${jsonTime(sql`account.created_at`)} as "lastSignInAt"
    from (
      select * from account where member_id <> ${except} limit ${sql.lit(limit)}
    ) account join member on member.id = account.member_id
    order by member.id desc`.execute(db);
  return rows;
}

export async function memberExists(db: Reader, memberId: number): Promise<boolean> {
  const { rows } = await sql`select from member where id = ${memberId}`.execute(db);
  return rows.length > 0;
}
