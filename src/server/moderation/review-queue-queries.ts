import { sql } from 'kysely';
import type { Reader, Tx } from '#server/core/database.ts';
import { unnamedMember } from '#server/core/sql.ts';
import { heldPostColumns, hiddenPostTexts } from '#server/posts/index.ts';
import { selectTagProposal } from './tag-proposals-queries.ts';
import type { PostRef } from '#shared/core/fields.ts';
import type { MatchedRule } from '#shared/moderation/spam.ts';
import type { TagProposal } from '#shared/moderation/tag-proposals.ts';
import {
  maxReviewCount,
  reviewClaimMinutes,
  type ReportReason,
  type ReviewCause,
  reviewCause,
} from '#shared/moderation/moderation.ts';

/** Counts the posts in the review queue by cause, each up to `maxReviewCount`. */
export async function countReviewItems(db: Reader): Promise<{ cause: ReviewCause; count: number }[]> {
  const { rows } = await sql<{ cause: ReviewCause; count: number }>`
    select cause, count from unnest(${reviewCause.options}::text[]) wanted (cause) cross join lateral (
      select count(*) as count from (
        select from review_item where review_item.cause = wanted.cause limit ${sql.lit(maxReviewCount)}
      ) waiting
    ) counted`.execute(db);
  return rows;
}

/** The moderator who works on a post; null if no one does. */
export type Claim = { claimed_by: number | null; claimed_by_name: string | null };

/** Not a join: after waiting for a lock, PostgreSQL reads the locked row again, but no rows that it was joined with. */
const claimColumns = sql`
  case when claimed_until > now() then claimed_by end as claimed_by,
  (select display_name from member where member.id = claimed_by) as claimed_by_name`;

export type LockedReviewItem = Claim & { id: number; cause: ReviewCause; open_reports: number };

/** Returns the entry of a post in the review queue. It is then locked until the transaction ends. */
export async function lockReviewItem(tx: Tx, { kind, id }: PostRef): Promise<LockedReviewItem | undefined> {
  const { rows } = await sql<LockedReviewItem>`
    select id, cause, open_reports, ${claimColumns} from review_item
    where post_kind = ${kind} and post_id = ${id} for update`.execute(tx);
  return rows[0];
}

/**
 * Returns who works on an entry of the queue, of a post or of a proposed tag. It is then locked until the transaction
 * ends.
 */
export async function lockClaim(
  tx: Tx,
  { column, id }: { column: 'id' | 'tag_proposal_id'; id: number },
): Promise<Claim | undefined> {
  const { rows } = await sql<Claim>`
    select ${claimColumns} from review_item where ${sql.ref(column)} = ${id} for update`.execute(tx);
  return rows[0];
}

/** Claims a locked entry of the queue for a moderator, or prolongs the claim. */
export async function setClaim(
  tx: Tx,
  { id, moderatorId }: { id: number; moderatorId: number },
): Promise<void> {
  await sql`
    update review_item
    set claimed_by = ${moderatorId}, claimed_until = now() + make_interval(mins => ${reviewClaimMinutes})
    where id = ${id}`.execute(tx);
}

/** Ends the moderator's claim, if there is one. Returns whether the post still waits. */
export async function releaseReviewItem(
  tx: Tx,
  { id, moderatorId }: { id: number; moderatorId: number },
): Promise<boolean> {
  const { rows } = await sql`
    update review_item set
      claimed_by = case when claimed_by <> ${moderatorId} then claimed_by end,
      claimed_until = case when claimed_by <> ${moderatorId} then claimed_until end
    where id = ${id} returning id`.execute(tx);
  return rows.length > 0;
}

/** Returns whether the post was in the queue. */
export async function deleteReviewItem(tx: Tx, { kind, id }: PostRef): Promise<boolean> {
  const { rows } = await sql`
    delete from review_item where post_kind = ${kind} and post_id = ${id} returning id`.execute(tx);
  return rows.length > 0;
}

export type ReviewItemRow = {
  id: number;
  post_kind: PostRef['kind'];
  post_id: number;
  cause: ReviewCause;
  open_reports: number;
  waiting_since: Date;
  question_id: number;
  title: string;
  content: string;
  author_id: number | null;
  author_name: string;
  created_at: Date;
  edited_at: Date | null;
  locked: boolean;
  held: boolean;
  claimed_by: number | null;
  claimed_by_name: string | null;
  claimed_until: Date | null;
  reasons: { reason: ReportReason; count: number }[];
  notes: string[];
  matched_rules: MatchedRule[] | null;
  tag_proposal: TagProposal | null;
  /** Of a removed post to which the author objects. */
  objection: string | null;
  removal_reason: string | null;
  /** Null for an imported author without an account. */
  author: {
    reputation: number;
    registeredAt: string;
    posts: number;
    warnings: number;
    hiddenPosts: number;
  } | null;
};

/** Notes shown per post at most. */
const maxNotes = 20;

/**
 * Posts in the review queue, most reports first, then the latest, after the cursor. The indexes review_item_queue and
 * review_item_cause serve the order.
 */
export async function listReviewItems(
  db: Reader,
  wanted: {
    /** Null: every cause. */
    cause: ReviewCause | null;
    afterCursor: { openReports: number; id: number } | null;
    limit: number;
  },
) {
  const { cause, afterCursor, limit } = wanted;
  const after =
    afterCursor === null
      ? sql`true`
      : sql`(open_reports, id) < (${afterCursor.openReports}, ${afterCursor.id})`;
  const { rows } = await sql<ReviewItemRow>`
    select item.id, coalesce(item.post_kind, 'question') as post_kind, coalesce(item.post_id, question.id) as post_id, item.cause, item.open_reports, item.matched_rules,
      item.created_at as waiting_since,
      coalesce(question.id, removed.question_id, held.question_id) as question_id,
      coalesce(question.title, removed.title, held.title) as title, held.id is not null as held,
      question.lock_reason is not null as locked,
      coalesce(removed.content, held.content, reply.content, answer.content, question.content) as content,
      coalesce(removed.author_id, held.member_id, post.author_id) as author_id,
      coalesce(removed.created_at, held.created_at, post.created_at) as created_at, post.edited_at,
      removed.objection, removed.reason as removal_reason, tag_proposal.shown as tag_proposal,
      claimant.id as claimed_by, coalesce(claimant.display_name, ${unnamedMember}) as claimed_by_name, item.claimed_until,
      coalesce(author.display_name, post.imported_author_name, ${unnamedMember}) as author_name,
      array(
        select jsonb_build_object('reason', reason, 'count', count(*)) from report
        where post_kind = item.post_kind and post_id = item.post_id and closed_at is null
        group by reason order by count(*) desc, reason
      ) as reasons,
      array(
        select note from report
        where post_kind = item.post_kind and post_id = item.post_id and closed_at is null and note <> ''
        order by id limit ${sql.lit(maxNotes)}
      ) as notes,
      case when author.id is not null then jsonb_build_object(
        'reputation', author.reputation,
        'registeredAt', author.created_at,
        'posts', author.questions_count + author.answers_count,
        'warnings', (select count(*) from moderator_message where member_id = author.id and kind = 'warning'),
        'hiddenPosts', (select count(*) from hidden_post where hidden_post.author_id = author.id)
      ) end as author
    from (
      select * from review_item where ${after} and ${cause === null ? sql`true` : sql`cause = ${cause}`}
      order by open_reports desc, id desc limit ${sql.lit(limit)}
    ) item
    left join lateral (${selectTagProposal(sql`item.tag_proposal_id`)}) tag_proposal on true
    left join reply on item.post_kind = 'reply' and reply.id = item.post_id
    left join answer on item.post_kind = 'answer' and answer.id = item.post_id
    left join question on item.hidden_post_id is null and question.id = case item.post_kind
      when 'question' then item.post_id when 'answer' then answer.question_id when 'reply' then reply.question_id
      else (tag_proposal.shown -> 'questions' -> 0 ->> 'id')::bigint end
    cross join lateral (
      select case item.post_kind when 'answer' then answer.author_id
          when 'reply' then reply.author_id else question.author_id end as author_id,
        case item.post_kind when 'answer' then answer.created_at
          when 'reply' then reply.created_at else question.created_at end as created_at,
        case item.post_kind when 'answer' then answer.edited_at
          when 'reply' then reply.edited_at when 'question' then question.edited_at end as edited_at,
        case item.post_kind when 'answer' then answer.imported_author_name
          when 'reply' then reply.imported_author_name else question.imported_author_name end as imported_author_name
    ) post
    left join lateral (
      select hidden_post.*, ${hiddenPostTexts} from hidden_post where hidden_post.id = item.hidden_post_id
    ) removed on true
    left join lateral (
      select ${heldPostColumns} from held_post where held_post.id = item.held_post_id
    ) held on true
    left join member author on author.id = coalesce(removed.author_id, held.member_id, post.author_id)
    left join member claimant on claimant.id = item.claimed_by and item.claimed_until > now()
    where question.id is not null or removed.id is not null or held.id is not null
    order by item.open_reports desc, item.id desc`.execute(db);
  return rows;
}
