import { sql } from 'kysely';
import type { Reader, Tx } from '#server/core/database.ts';
import type { ModerationAction, PostRef } from '#shared/moderation/moderation.ts';

/** What an operator did. `before` says how it was, without the texts of members; `operatorId` null: the command line. */
export type LogEntryDraft = {
  moderatorId: number | null;
  action: ModerationAction;
  reason: string;
  post: (PostRef & { questionId: number }) | null;
  memberId: number | null;
  before: Readonly<Record<string, string | number | boolean | null>>;
};

/** Writes down what is done, in the transaction in which it is. Nothing of it is changed or deleted any more. */
export async function insertLogEntry(tx: Tx, done: LogEntryDraft): Promise<void> {
  const { moderatorId, action, reason, post, memberId, before } = done;
  await sql`
    insert into moderation_log (moderator_id, action, reason, post_kind, post_id, question_id, member_id, before)
    values (${moderatorId}, ${action}, ${reason}, ${post?.kind ?? null}, ${post?.id ?? null},
      ${post?.questionId ?? null}, ${memberId}, ${JSON.stringify(before)}::jsonb)`.execute(tx);
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
  operator_name: string | null;
  member_name: string | null;
  before: Record<string, string | number | boolean | null>;
  /** The question, where it is to be seen now. */
  title: string | null;
  hidden_post_id: number | null;
};

/** The latest first, behind `before`. What can be taken back is what was done last to a post that is still put away. */
export async function listLogEntries(
  db: Reader,
  { before, limit }: { before: number | null; limit: number },
): Promise<LogEntryRow[]> {
  const { rows } = await sql<LogEntryRow>`
    select entry.id, entry.created_at, entry.action, entry.reason, entry.post_kind, entry.post_id, entry.question_id,
      entry.member_id, entry.moderator_id, entry.before,
      operator.display_name as operator_name,
      member.display_name as member_name,
      question.title, hidden_post.id as hidden_post_id
    from (
      select * from moderation_log ${before === null ? sql`` : sql`where id < ${before}`}
      order by id desc limit ${sql.lit(limit)}
    ) entry
    left join member operator on operator.id = entry.moderator_id
    left join member on member.id = entry.member_id
    left join question on question.id = entry.question_id
    left join hidden_post on entry.action in ('hide', 'delete')
      and hidden_post.post_kind = entry.post_kind and hidden_post.post_id = entry.post_id
    order by entry.id desc`.execute(db);
  return rows;
}
