import { sql } from 'kysely';
import type { Queryable, Reader, Tx } from '#server/core/database.ts';
import { tagKey } from '#shared/core/text.ts';
import type { ProposedTag } from '#shared/posts/tag-proposals.ts';
import { isTagVisible } from './tag-visibility.ts';

/** SQL: in how many seconds a row is a day old. */
export const secondsLeftOfDay = sql<number>`
  greatest(1, ceil(extract(epoch from created_at + interval '1 day' - now())))::int`;

/** Lists in how many seconds each tag that a member proposed in the last 24 hours is older than that, the oldest first. */
export async function listProposalsOfToday(db: Reader, memberId: number): Promise<number[]> {
  const { rows } = await sql<{ left: number }>`
    select ${secondsLeftOfDay} as left from tag_proposal_question
    where member_id = ${memberId} and created_at > now() - interval '1 day' order by created_at`.execute(db);
  return rows.map((row) => row.left);
}

/** The keys of the tags that are already proposed for a question and wait for a decision. */
export async function listOpenProposalKeys(db: Reader, questionId: number): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select key from tag_proposal_question join tag_proposal on tag_proposal.id = proposal_id
    where question_id = ${questionId} and status = 'open'`.execute(db);
  return rows.map((row) => row.key);
}

/** Proposes a tag for a question. The same name and question again changes nothing. */
export async function insertTagProposal(
  tx: Tx,
  { tag, questionId, memberId }: { tag: ProposedTag; questionId: number; memberId: number },
): Promise<void> {
  // The update locks an open proposal, so that it is not decided meanwhile.
  const { rows } = await sql<{ id: number }>`
    insert into tag_proposal (name, key) values (${tag.name}, ${tagKey(tag.name)})
    on conflict (key) where status = 'open' do update set key = excluded.key returning id`.execute(tx);
  const id = rows[0]?.id ?? null;
  await sql`
    with proposed as (
      insert into tag_proposal_question (proposal_id, question_id, member_id, reason)
      values (${id}, ${questionId}, ${memberId}, ${tag.reason}) on conflict do nothing
    )
    insert into review_item (tag_proposal_id, open_reports, other_cause) values (${id}, 0, 'tag_proposal')
    on conflict (tag_proposal_id) where tag_proposal_id is not null do nothing`.execute(tx);
}

/** Returns the proposals for questions that wait for a decision, or were not applied to them yet. */
export async function listPendingProposals(tx: Tx, questionIds: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct proposal_id as id from tag_proposal_question
    where question_id = any(${[...questionIds]}::bigint[]) and applied_at is null`.execute(tx);
  return rows.map((row) => row.id);
}

const lockOpenProposals = (ids: readonly number[]) => sql`
  select id from tag_proposal where id = any(${[...ids]}::bigint[]) and status = 'open' order by id for update`;

/**
 * Takes questions out of proposals. An open one without further questions is deleted, with its entry in the review queue.
 * @param ids the pending proposals for them
 */
export async function deleteProposalsOfQuestions(
  tx: Tx,
  { questionIds, ids }: { questionIds: readonly number[]; ids: readonly number[] },
): Promise<void> {
  // A deleted question has none left.
  await sql`
    delete from tag_proposal_question
    where question_id = any(${[...questionIds]}::bigint[]) and applied_at is null`.execute(tx);
  await sql`
    with locked as (${lockOpenProposals(ids)})
    delete from tag_proposal where id in (select id from locked)
      and not exists (select from tag_proposal_question where proposal_id = tag_proposal.id)`.execute(tx);
}

/** Deletes the entries in the review queue of open proposals that have no visible question. */
export async function unqueueHiddenProposals(tx: Tx, ids: readonly number[]): Promise<void> {
  await sql`
    with locked as (${lockOpenProposals(ids)})
    delete from review_item where tag_proposal_id in (select id from locked) and not exists (
      select from tag_proposal_question proposed join question on question.id = proposed.question_id
      where proposed.proposal_id = review_item.tag_proposal_id
    )`.execute(tx);
}

/**
 * Adds the entries in the review queue of open proposals for a question. Returns how many were added. Decided ones that
 * were not applied to it are applied later.
 */
export async function requeueProposals(tx: Tx, questionId: number): Promise<number> {
  const { rows } = await sql`
    with locked as (
      select tag_proposal.id, status from tag_proposal
      join tag_proposal_question proposed on proposed.proposal_id = tag_proposal.id
      where proposed.question_id = ${questionId} and proposed.applied_at is null
      order by tag_proposal.id for update of tag_proposal
    ), reopened as (
      update tag_proposal set applied_at = null
      from locked where locked.id = tag_proposal.id and locked.status <> 'open'
    )
    insert into review_item (tag_proposal_id, open_reports, other_cause)
    select id, 0, 'tag_proposal' from locked where status = 'open'
    on conflict (tag_proposal_id) where tag_proposal_id is not null do nothing returning id`.execute(tx);
  return rows.length;
}

/**
 * Decides open proposals whose tag exists now and is visible, or whose name is a synonym now. Returns how many.
 * @param keys the keys of tags; null for all open proposals
 */
export async function closeProposalsOfKnownTags(
  tx: Tx,
  { keys }: { keys: readonly string[] | null },
): Promise<number> {
  const { rows } = await sql`
    with closed as (
      update tag_proposal set status = case when named.synonym_of is null then 'approved' else 'synonym' end,
        tag_id = tag.id, decided_at = now()
      from tag named join tag on tag.id = coalesce(named.synonym_of, named.id) and ${isTagVisible}
      where named.key = tag_proposal.key and status = 'open'
        and ${keys === null ? sql`true` : sql`tag_proposal.key = any(${[...keys]}::text[])`}
      returning tag_proposal.id
    ), unqueued as (
      delete from review_item where tag_proposal_id in (select id from closed)
    )
    select id from closed`.execute(tx);
  return rows.length;
}

/** Decided proposals that are not applied to all questions yet, a limited number. */
export async function listProposalsToApply(db: Queryable): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from tag_proposal where status <> 'open' and applied_at is null order by id limit 100`.execute(
    db,
  );
  return rows.map((row) => row.id);
}

/** The first visible question that a proposal is not applied to. */
export async function findQuestionToApply(db: Queryable, proposalId: number): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select question_id as id from tag_proposal_question join question on question.id = question_id
    where proposal_id = ${proposalId} and applied_at is null order by question_id limit 1`.execute(db);
  return rows[0]?.id;
}

/** Marks a proposal as applied to all its visible questions. */
export async function setAllApplied(tx: Tx, proposalId: number): Promise<void> {
  // The lock keeps a question that is restored at the same moment from being missed.
  await sql`select from tag_proposal where id = ${proposalId} for update`.execute(tx);
  await sql`
    update tag_proposal set applied_at = now()
    where id = ${proposalId} and not exists (
      select from tag_proposal_question proposed join question on question.id = proposed.question_id
      where proposed.proposal_id = tag_proposal.id and proposed.applied_at is null
    )`.execute(tx);
}

export type DecidedProposalRow = {
  status: 'approved' | 'synonym' | 'rejected';
  reason: string;
  member_id: number;
  /** The tag that the question gets; null after a rejection. */
  tag: string | null;
};

/** Marks a decision as applied to a question. Undefined if it was applied or withdrawn meanwhile. */
export async function setProposalApplied(
  tx: Tx,
  { id, questionId }: { id: number; questionId: number },
): Promise<DecidedProposalRow | undefined> {
  const { rows } = await sql<DecidedProposalRow>`
    update tag_proposal_question applied set applied_at = now()
    from tag_proposal left join tag on tag.id = tag_proposal.tag_id
    where tag_proposal.id = applied.proposal_id and status <> 'open'
      and proposal_id = ${id} and question_id = ${questionId} and applied.applied_at is null
    returning status, tag_proposal.reason, member_id, tag.name as tag`.execute(tx);
  return rows[0];
}

/**
 * Writes the message about a decision to a member, once for all questions of the member. Returns whether it was written:
 * not for a deleted account. This area writes to a table of moderation, because it applies the decision.
 */
export async function insertProposalMessage(
  tx: Tx,
  message: {
    proposalId: number;
    memberId: number;
    kind: 'tag_approved' | 'tag_synonym' | 'tag_rejected';
    reason: string;
    /** Title of the question. */
    title: string;
    questionId: number;
  },
): Promise<boolean> {
  const { proposalId, memberId, kind, reason, title, questionId } = message;
  const { rows } = await sql`
    insert into moderator_message (member_id, kind, reason, title, question_id, tag_proposal_id)
    select id, ${kind}, ${reason}, ${title}, ${questionId}::bigint, ${proposalId}::bigint from member
    where id = ${memberId} and deleted_at is null and not exists (
      select from moderator_message where tag_proposal_id = ${proposalId} and member_id = member.id
    )
    returning id`.execute(tx);
  return rows.length > 0;
}
