import { sql } from 'kysely';
import { isBefore } from '#server/core/cursor.ts';
import type { Reader, Tx } from '#server/core/database.ts';
import { unnamedMember } from '#server/core/sql.ts';
import type { ModerationAction } from '#shared/moderation/moderation.ts';
import type { PostRef } from '#shared/core/fields.ts';

/**
 * A moderator's action. `before` is the state before it, without texts of members. `moderatorId` is null for the
 * command line.
 */
export type LogEntryDraft = {
  moderatorId: number | null;
  action: ModerationAction;
  reason: string;
  post: (PostRef & { questionId: number }) | null;
  memberId: number | null;
  before: LoggedState;
  /** For actions that set values. */
  after?: LoggedState;
  /** What the action is about if that is neither a post nor a member: the name of a setting or a tag. */
  subject?: string;
};

export type LoggedState = Readonly<Record<string, string | number | boolean | readonly string[] | null>>;

/** Writes an action to the log, in the transaction of the action. Entries are never changed or deleted. */
export async function insertLogEntry(tx: Tx, entry: LogEntryDraft): Promise<void> {
  const { moderatorId, action, reason, post, memberId, before, after = {}, subject = null } = entry;
  await sql`
    insert into moderation_log (moderator_id, action, reason, post_kind, post_id, question_id, member_id,
      subject, before, after)
    values (${moderatorId}, ${action}, ${reason}, ${post?.kind ?? null}, ${post?.id ?? null},
      ${post?.questionId ?? null}, ${memberId},
      ${subject}, ${JSON.stringify(before)}::jsonb, ${JSON.stringify(after)}::jsonb)`.execute(tx);
}

export type LogEntryRow = {
  id: number;
  created_at: Date;
  action: ModerationAction;
  reason: string;
  post_kind: PostRef['kind'] | null;
  post_id: number | null;
  question_id: number | null;
  member_id: number | null;
  moderator_id: number | null;
  moderator_name: string | null;
  member_name: string | null;
  subject: string | null;
  before: LoggedState;
  after: LoggedState;
  /** Title of the question, null if it is not visible now. */
  title: string | null;
  hidden_post_id: number | null;
};

/**
 * Latest first, after `before`. Only the last action on a post that is still hidden can be undone.
 * @param wanted.memberId only entries about this member, also those about several accounts; null for all
 */
export async function listLogEntries(
  db: Reader,
  { memberId, before, limit }: { memberId: number | null; before: number | null; limit: number },
): Promise<LogEntryRow[]> {
  const { rows } = await sql<LogEntryRow>`
    select entry.id, entry.created_at, entry.action, entry.reason, entry.post_kind, entry.post_id, entry.question_id,
      entry.member_id, entry.moderator_id, entry.subject, entry.before, entry.after,
      moderator.display_name as moderator_name,
      member.display_name as member_name,
      question.title, hidden_post.id as hidden_post_id
    from (
      select * from moderation_log
      where ${isBefore(sql`id`, before)}
        and ${memberId === null ? sql`true` : isAboutMember(memberId, { before, limit })}
      order by id desc limit ${sql.lit(limit)}
    ) entry
    left join member moderator on moderator.id = entry.moderator_id
    left join member on member.id = entry.member_id
    left join question on question.id = entry.question_id
    left join hidden_post on entry.action in ('hide', 'delete')
      and hidden_post.post_kind = entry.post_kind and hidden_post.post_id = entry.post_id
    order by entry.id desc`.execute(db);
  return rows;
}

/** The entries about one member, which indexes find: a condition with `or` would read the log of the whole site. */
const isAboutMember = (memberId: number, { before, limit }: { before: number | null; limit: number }) => sql`
  id in (
    (
      select id from moderation_log where member_id = ${memberId} and ${isBefore(sql`id`, before)}
      order by id desc limit ${sql.lit(limit)}
    )
    union all
    select entry.id from activity_removal removal
      join moderation_log entry on (entry.before ->> 'removal')::bigint = removal.bulk_removal_id
        and entry.action in ('bulk_remove_activity', 'bulk_restore_activity')
    where removal.member_id = ${memberId}
  )`;

/** Returns the post, or the proposed tag, of an entry of the review queue. */
export async function findReviewedPost(db: Reader, itemId: number) {
  const { rows } = await sql<PostRef & { tag_proposal_id: number | null }>`
    select post_kind as kind, post_id as id, tag_proposal_id from review_item where id = ${itemId}`.execute(
    db,
  );
  return rows[0];
}

/** The actions on one post, the latest first. The index moderation_log_post serves the order. */
export async function listPostLogEntries(
  db: Reader,
  { post, limit }: { post: PostRef; limit: number },
): Promise<Pick<LogEntryRow, 'id' | 'created_at' | 'action' | 'reason' | 'moderator_name'>[]> {
  const { rows } = await sql<LogEntryRow>`
    select entry.id, entry.created_at, entry.action, entry.reason,
      case when moderator.id is not null then coalesce(moderator.display_name, ${unnamedMember}) end as moderator_name
    from moderation_log entry left join member moderator on moderator.id = entry.moderator_id
    where entry.post_kind = ${post.kind} and entry.post_id = ${post.id}
    order by entry.id desc limit ${sql.lit(limit)}`.execute(db);
  return rows;
}
