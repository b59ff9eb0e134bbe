import { type RawBuilder, sql } from 'kysely';
import { isBefore } from '#server/core/cursor.ts';
import type { Reader, Tx } from '#server/core/database.ts';
import { one, unnamedMember } from '#server/core/sql.ts';
import { type EditedTexts, lockMember, secondsLeftOfDay, tagNamesOf } from '#server/posts/index.ts';
import type { PostKind, PostRef } from '#shared/core/fields.ts';
import { type EditSuggestionStatus, maxEditSuggestionCount } from '#shared/moderation/edit-suggestions.ts';

const postColumn = (kind: PostKind) => sql.ref(`${kind}_id`);

export async function hasOpenSuggestion(
  tx: Tx,
  { post, memberId }: { post: PostRef; memberId: number },
): Promise<boolean> {
  const { rows } = await sql`
    select from edit_suggestion
    where member_id = ${memberId} and ${postColumn(post.kind)} = ${post.id} and status = 'open'`.execute(tx);
  return rows.length > 0;
}

/**
 * Lists in how many seconds each suggestion of a member in the last 24 hours is older than that, the oldest first. The
 * member is then locked, so that the count is right.
 */
export async function listSuggestionsOfToday(tx: Tx, memberId: number): Promise<number[]> {
  await lockMember(tx, memberId);
  const { rows } = await sql<{ left: number }>`
    select ${secondsLeftOfDay} as left from edit_suggestion
    where member_id = ${memberId} and created_at > now() - interval '1 day' order by created_at`.execute(tx);
  return rows.map((row) => row.left);
}

export type NewEditSuggestion = {
  post: PostRef;
  postAuthorId: number | null;
  memberId: number;
  summary: string;
  texts: EditedTexts;
  /** The version that it is based on. */
  base: EditedTexts;
  moderatorsOnly: boolean;
  /** Whether it needs no approval. */
  isDirect: boolean;
};

/** Returns the id. */
export async function insertEditSuggestion(tx: Tx, suggestion: NewEditSuggestion): Promise<number> {
  const { post, postAuthorId, memberId, summary, texts, base, moderatorsOnly, isDirect } = suggestion;
  const storedBase = isDirect ? null : base;
  const { rows } = await sql<{ id: number }>`
    insert into edit_suggestion (
      ${postColumn(post.kind)}, post_author_id, member_id, summary, title, content, tags, base_title, base_content,
      base_tags, moderators_only, status, decided_at
    )
    values (
      ${post.id}, ${postAuthorId}, ${memberId}, ${summary}, ${texts.title}, ${texts.content},
      ${texts.tags}::text[], ${storedBase?.title ?? null}, ${storedBase?.content ?? null}, ${storedBase?.tags ?? null}::text[],
      ${moderatorsOnly}, ${isDirect ? 'approved' : 'open'}, ${isDirect ? sql`now()` : null}
    ) returning id`.execute(tx);
  return one(rows).id;
}

export type EditSuggestionRow = {
  id: number;
  question_id: number | null;
  answer_id: number | null;
  reply_id: number | null;
  /** The question of the post, and its title. */
  thread_id: number;
  thread_title: string;
  summary: string;
  member_id: number;
  member_name: string;
  member_avatar: string | null;
  status: EditSuggestionStatus;
  moderators_only: boolean;
  reason: string;
  decided_by_name: string | null;
  created_at: Date;
  decided_at: Date | null;
};

/** The post of a suggestion; suggestions for posts that are hidden or deleted have none. */
const suggestionJoins = sql`
  left join reply on reply.id = suggestion.reply_id and reply.deleted_at is null
  left join answer on answer.id = suggestion.answer_id
  join question on question.id = coalesce(suggestion.question_id, answer.question_id, reply.question_id)
  join member on member.id = suggestion.member_id
  left join member decider on decider.id = suggestion.decided_by`;

const suggestionColumns = sql`
  suggestion.id, suggestion.question_id, suggestion.answer_id, suggestion.reply_id, question.id as thread_id,
  question.title as thread_title, suggestion.summary, suggestion.member_id,
  coalesce(member.display_name, ${unnamedMember}) as member_name, member.avatar as member_avatar, suggestion.status,
  suggestion.moderators_only, suggestion.reason, suggestion.created_at, suggestion.decided_at,
  case when decider.id is not null then coalesce(decider.display_name, ${unnamedMember}) end as decided_by_name`;

/** Who looks for suggestions to decide. */
export type Reviewer = { memberId: number; isModerator: boolean; isExperienced: boolean };

/** The open suggestions that a member can decide. The indexes edit_suggestion_open and …_open_author serve them. */
function reviewable({ memberId, isModerator, isExperienced }: Reviewer): RawBuilder<unknown> {
  return sql`
    suggestion.status = 'open' and suggestion.member_id <> ${memberId} and question.lock_reason is null
    and ${isModerator ? sql`true` : sql`not suggestion.moderators_only`}
    and ${isModerator || isExperienced ? sql`true` : sql`suggestion.post_author_id = ${memberId}`}`;
}

/** The suggestions that a member can decide, the oldest first, after the cursor. */
export async function listSuggestionsToReview(
  db: Reader,
  { reviewer, after, limit }: { reviewer: Reviewer; after: number; limit: number },
): Promise<EditSuggestionRow[]> {
  const { rows } = await sql<EditSuggestionRow>`
    select ${suggestionColumns} from edit_suggestion suggestion ${suggestionJoins}
    where ${reviewable(reviewer)} and suggestion.id > ${after}
    order by suggestion.id limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

export async function countSuggestionsToReview(db: Reader, reviewer: Reviewer): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select from edit_suggestion suggestion ${suggestionJoins} where ${reviewable(reviewer)}
      order by suggestion.id limit ${sql.lit(maxEditSuggestionCount)}
    ) waiting`.execute(db);
  return rows[0]?.count ?? 0;
}

/** A member's own suggestions, the latest first, before the cursor. */
export async function listOwnSuggestions(
  db: Reader,
  { memberId, before, limit }: { memberId: number; before: number | null; limit: number },
): Promise<EditSuggestionRow[]> {
  const { rows } = await sql<EditSuggestionRow>`
    select ${suggestionColumns} from edit_suggestion suggestion ${suggestionJoins}
    where suggestion.member_id = ${memberId} and ${isBefore(sql`suggestion.id`, before)}
    order by suggestion.id desc limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

export type EditSuggestionTextsRow = EditSuggestionRow & {
  post_author_id: number | null;
  title: string | null;
  content: string;
  tags: string[] | null;
  base_title: string | null;
  base_content: string | null;
  base_tags: string[] | null;
  current_title: string | null;
  current_content: string;
  current_tags: string[] | null;
  edited_at: Date | null;
};

export async function findEditSuggestion(
  db: Reader,
  id: number,
): Promise<EditSuggestionTextsRow | undefined> {
  const isQuestion = sql`suggestion.question_id is not null`;
  const { rows } = await sql<EditSuggestionTextsRow>`
    select ${suggestionColumns}, suggestion.title, suggestion.content, suggestion.tags, suggestion.base_title,
      suggestion.base_content, suggestion.base_tags, case when ${isQuestion} then question.title end as current_title,
      case when ${isQuestion} then question.author_id else coalesce(answer.author_id, reply.author_id) end
        as post_author_id,
      coalesce(reply.content, answer.content, question.content) as current_content,
      case when ${isQuestion} then ${tagNamesOf(sql`question.id`)} end as current_tags,
      case when ${isQuestion} then question.edited_at when answer.id is not null then answer.edited_at
        else reply.edited_at end as edited_at
    from edit_suggestion suggestion ${suggestionJoins} where suggestion.id = ${id}`.execute(db);
  return rows[0];
}

/** Locks a suggestion. Lock its post first. Returns its status. */
export async function lockEditSuggestion(tx: Tx, id: number): Promise<EditSuggestionStatus | undefined> {
  const { rows } = await sql<{ status: EditSuggestionStatus }>`
    select status from edit_suggestion where id = ${id} for update`.execute(tx);
  return rows[0]?.status;
}

export async function setEditSuggestionDecided(
  tx: Tx,
  decision: {
    id: number;
    status: 'approved' | 'rejected';
    decidedBy: number;
    reason?: string;
    isChanged?: boolean;
  },
): Promise<void> {
  const { id, status, decidedBy, reason = '', isChanged = false } = decision;
  await sql`
    update edit_suggestion
    set status = ${status}, decided_by = ${decidedBy}, decided_at = now(), reason = ${reason},
      changed_on_approval = ${isChanged}, base_title = null, base_content = null, base_tags = null
    where id = ${id}`.execute(tx);
}

const setWithdrawn = sql`
  set status = 'withdrawn', decided_at = now(), base_title = null, base_content = null, base_tags = null`;

/** Withdraws an open suggestion of the member. Returns whether there was one. */
export async function withdrawOwnSuggestion(
  tx: Tx,
  { id, memberId }: { id: number; memberId: number },
): Promise<boolean> {
  const { rows } = await sql`
    update edit_suggestion ${setWithdrawn} where id = ${id} and member_id = ${memberId} and status = 'open' returning id`.execute(
    tx,
  );
  return rows.length > 0;
}

/** Withdraws all open suggestions of these members, in the order of their ids. */
export async function withdrawAllSuggestions(tx: Tx, memberIds: readonly number[]): Promise<void> {
  await sql`
    update edit_suggestion ${setWithdrawn} where id in (
      select id from edit_suggestion where member_id = any(${[...memberIds]}::bigint[]) and status = 'open'
      order by id for update
    )`.execute(tx);
}

export async function findReputation(db: Reader, memberId: number): Promise<number> {
  const { rows } = await sql<{ reputation: number }>`
    select reputation from member where id = ${memberId}`.execute(db);
  return rows[0]?.reputation ?? 0;
}
