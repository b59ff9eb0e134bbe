import { type RawBuilder, sql } from 'kysely';
import type { Reader, Tx } from '#server/core/database.ts';
import { one, unnamedMember } from '#server/core/sql.ts';
import { maxShownProposals } from '#shared/moderation/tag-proposals.ts';

/** Similar tags that are shown at most. */
const maxSimilarTags = 6;

/**
 * SQL: a proposed tag as JSON, in the column `shown`, with its visible questions, the oldest first, and similar tags. The
 * index tag_trigrams serves the similarity.
 */
export const selectTagProposal = (id: RawBuilder<unknown>) => sql`
  select jsonb_build_object(
    'id', proposal.id, 'name', proposal.name,
    'questions', coalesce((
      select jsonb_agg(jsonb_build_object('id', question_id, 'title', title, 'memberId', member_id,
        'memberName', member_name, 'reason', reason, 'createdAt', created_at) order by created_at, question_id)
      from (
        select proposed.*, question.title, coalesce(member.display_name, ${unnamedMember}) as member_name
        from tag_proposal_question proposed join question on question.id = proposed.question_id
        join member on member.id = proposed.member_id
        where proposal_id = proposal.id order by proposed.created_at, question_id limit ${sql.lit(maxShownProposals)}
      ) oldest
    ), '[]'),
    'questionsCount', (
      select count(*) from tag_proposal_question proposed join question on question.id = proposed.question_id
      where proposed.proposal_id = proposal.id
    ),
    'similar', coalesce((
      select jsonb_agg(jsonb_build_object('name', name, 'questionsCount', questions_count)
        order by similarity desc, questions_count desc, name)
      from (
        select main.name, main.questions_count, max(similarity(tag.key, proposal.key)) as similarity
        from tag join tag main on main.id = coalesce(tag.synonym_of, tag.id)
        where tag.key % proposal.key
        group by main.id order by similarity desc, main.questions_count desc limit ${sql.lit(maxSimilarTags)}
      ) alike
    ), '[]')
  ) as shown
  from tag_proposal proposal where proposal.id = ${id}`;

export async function findTagProposal(db: Reader, id: number) {
  const { rows } = await sql<{ id: number; name: string; key: string }>`
    select id, name, key from tag_proposal where id = ${id}`.execute(db);
  return rows[0];
}

/** Creates the tag of a proposal, or finds it. The transaction that decides closes the proposal itself. */
export async function createProposedTag(
  tx: Tx,
  { name, key }: { name: string; key: string },
): Promise<{ id: number; name: string }> {
  await sql`insert into tag (name, key) values (${name}, ${key}) on conflict (key) do nothing`.execute(tx);
  const { rows } = await sql<{ id: number; name: string }>`
    select id, name from tag where id = (select coalesce(synonym_of, id) from tag where key = ${key})
    for key share`.execute(tx);
  return one(rows);
}

/** Locks an open proposal. Returns undefined if it is decided or withdrawn. */
export async function lockOpenProposal(tx: Tx, id: number): Promise<boolean> {
  const { rows } = await sql`
    select id from tag_proposal where id = ${id} and status = 'open' for update`.execute(tx);
  return rows.length > 0;
}

/** Decides a locked proposal, which leaves the review queue. */
export async function setProposalDecided(
  tx: Tx,
  decided: {
    id: number;
    status: 'approved' | 'synonym' | 'rejected';
    tagId: number | null;
    reason: string;
    decidedBy: number;
  },
): Promise<void> {
  const { id, status, tagId, reason, decidedBy } = decided;
  await sql`
    with unqueued as (delete from review_item where tag_proposal_id = ${id})
    update tag_proposal set status = ${status}, tag_id = ${tagId}, reason = ${reason}, decided_by = ${decidedBy},
      decided_at = now()
    where id = ${id}`.execute(tx);
}

/** Earlier decisions about the name of a proposal, the latest first. The index tag_proposal_key serves the order. */
export async function listEarlierDecisions(db: Reader, { id, limit }: { id: number; limit: number }) {
  const { rows } = await sql<{
    id: number;
    status: 'approved' | 'synonym' | 'rejected';
    reason: string;
    decided_at: Date;
    moderator_name: string | null;
  }>`
    select earlier.id, earlier.status, earlier.reason, earlier.decided_at,
      case when moderator.id is not null then coalesce(moderator.display_name, ${unnamedMember}) end as moderator_name
    from tag_proposal earlier left join member moderator on moderator.id = earlier.decided_by
    where earlier.key = (select key from tag_proposal where id = ${id}) and earlier.status <> 'open'
    order by earlier.id desc limit ${sql.lit(limit)}`.execute(db);
  return rows;
}
