import { sql } from 'kysely';
import { canObject } from './objections-queries.ts';
import type { Database, Reader, Tx } from '#server/core/database.ts';
import { one } from '#server/core/sql.ts';
import { messageTitle } from '#server/posts/index.ts';
import type { ModeratorMessage } from '#shared/moderation/moderation.ts';

export type ModeratorMessageDraft = {
  memberId: number;
  kind: ModeratorMessage['kind'];
  reason: string;
  until: Date | null;
  title: string | null;
  /** The question with the title. Null if the message is about a question of the member. */
  questionId: number | null;
  /** The removal that it is about. */
  hiddenPostId?: number;
};

/** Returns the id. */
export async function insertModeratorMessage(tx: Tx, message: ModeratorMessageDraft): Promise<number> {
  const { memberId, kind, reason, until, title, questionId, hiddenPostId = null } = message;
  const { rows } = await sql<{ id: number }>`
    insert into moderator_message (member_id, kind, reason, until, title, question_id, hidden_post_id)
    values (${memberId}, ${kind}, ${reason}, ${until}, ${title}, ${questionId}, ${hiddenPostId})
    returning id`.execute(tx);
  return one(rows).id;
}

/**
 * Messages that the member has not marked as seen, oldest first. The index moderator_message_unseen serves the order.
 */
export async function listUnseenMessages(
  db: Reader,
  { memberId, limit }: { memberId: number; limit: number },
) {
  const { rows } = await sql<{
    id: number;
    kind: ModeratorMessage['kind'];
    reason: string;
    until: Date | null;
    title: string | null;
    created_at: Date;
    objectable_id: number | null;
    tag_name: string | null;
    synonym_of: string | null;
  }>`
    select id, kind, reason, until, ${messageTitle}, created_at, proposal.name as tag_name,
      case when kind = 'tag_synonym' then proposal.tag end as synonym_of,
      (select hidden_post.id from hidden_post where hidden_post.id = hidden_post_id and ${canObject}) as objectable_id
    from moderator_message left join lateral (
      select tag_proposal.name, tag.name as tag from tag_proposal left join tag on tag.id = tag_id
      where tag_proposal.id = tag_proposal_id
    ) proposal on true
    where member_id = ${memberId} and seen_at is null order by id limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

export async function setMessagesSeen(
  db: Database | Tx,
  { memberId, upTo }: { memberId: number; upTo: number },
): Promise<boolean> {
  const { rows } = await sql`
    update moderator_message set seen_at = now()
    where member_id = ${memberId} and seen_at is null and id <= ${upTo} returning id`.execute(db);
  return rows.length > 0;
}
