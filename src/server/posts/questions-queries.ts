import { type RawBuilder, sql } from 'kysely';
import type { Reader, Tx } from '#server/core/database.ts';
import { existsForRow, jsonTime, one, unnamedMember } from '#server/core/sql.ts';
import { bylineJoins, bylineJson } from './posts.ts';
import type { QuestionCounts } from './posts-events.ts';
import type { Question, QuestionDraft } from '#shared/posts/questions.ts';
import { questionTagNames, tagNamesOf } from './cards.ts';
import type { Excerpt } from './excerpt.ts';
import { siteHistoryJson } from './site-history.ts';
import { writeQuestionSortKeys, writeTagSortKeys } from './sort-keys.ts';

/** SQL: the members who closed a question by votes. A question that is open again has none. */
const closersJson = sql`(
  select coalesce(json_agg(json_build_object('id', closer.id, 'name', coalesce(closer.display_name, ${unnamedMember}))
    order by closer.id), '[]')
  from question_closer join member closer on closer.id = member_id
  where question_id = post.id
    and (post.duplicate_of is not null or exists (select from question_closing where question_id = post.id))
)`;

/** SQL: why the site of an imported question closed it. A duplicate of a question here is shown as such. */
export const closingJson = sql`(
  select json_build_object('reason', reason, 'closedAt', ${jsonTime(sql`closed_at`)}) from question_closing
  where question_id = post.id and post.duplicate_of is null
)`;

/** The question of a page, as arguments of `json_build_object`, selected from `question post` with the byline's joins. */
export const questionFields = sql`
  'id', post.id, 'title', post.title, 'content', post.content, 'excerpt', post.excerpt,
  'tags', ${questionTagNames}, ${bylineJson('question')},
  'createdAt', ${jsonTime(sql`post.created_at`)}, 'editedAt', ${jsonTime(sql`post.edited_at`)},
  'upvotes', post.upvotes, 'downvotes', post.downvotes, 'answerCount', post.answer_count,
  'acceptedAnswerId', post.accepted_answer_id, 'lockReason', post.lock_reason,
  'duplicateOf', post.duplicate_of, 'closing', ${closingJson}, 'closedBy', ${closersJson},
  'siteHistory', ${siteHistoryJson('question')}`;

/** What a viewer sees of it: own votes and marks, and the views, which documents do not have. */
export function viewerFields(viewerId: number | RawBuilder<unknown>) {
  const own = (table: string) =>
    sql`from ${sql.table(table)} where question_id = post.id and member_id = ${viewerId}`;
  return sql`
    'myVote', (select direction ${own('vote')}),
    'following', exists (select ${own('question_follow')}),
    'bookmarked', exists (select ${own('bookmark')} and answer_id is null),
    'muted', exists (select ${own('question_mute')}),
    'views', post.views`;
}

/** A question as the API returns it; undefined if it does not exist. */
export async function findQuestion(db: Reader, { id, viewerId }: { id: number; viewerId: number }) {
  const { rows } = await sql<{ question: Question }>`
    select json_build_object(${questionFields}, ${viewerFields(viewerId)}) as question
    from question post ${bylineJoins} where post.id = ${id}`.execute(db);
  return rows[0]?.question;
}

export async function listQuestionTitles(db: Reader, ids: readonly number[]) {
  const { rows } = await sql<{ id: number; title: string }>`
    select id, title from question where id = any(${[...new Set(ids)]}::bigint[])`.execute(db);
  return rows;
}

/** Inserts a question with its tags and sort keys, and counts it for its author. */
export async function insertQuestion(
  tx: Tx,
  question: {
    /** The reserved id; null for a new one. */
    id: number | null;
    authorId: number;
    draft: QuestionDraft;
    tags: readonly { id: number; name: string }[];
    excerpt: Excerpt;
  },
): Promise<{ id: number; created_at: Date }> {
  const { id, authorId, draft, tags, excerpt } = question;
  const tagText = tags.map((tag) => tag.name).join(', ');
  const { rows } = await sql<{ id: number; created_at: Date }>`
    with added as (
      insert into question (id, author_id, title, content, tag_text, excerpt, excerpt_cut) overriding system value
      values (coalesce(${id}::bigint, nextval('question_id_seq')), ${authorId}, ${draft.title}, ${draft.content}, ${tagText}, ${excerpt.excerpt}, ${excerpt.cut})
      returning id, created_at, active_at, upvotes, answer_count
    ), sort_key as (
      ${sql.raw(writeQuestionSortKeys('added'))}
    ), linked as (
      insert into question_tag (question_id, question_created_at, tag_id, position)
      select id, created_at, tag_id, position - 1
      from added, unnest(${tags.map((tag) => tag.id)}::bigint[]) with ordinality as wanted (tag_id, position)
      returning question_id, tag_id
    ), tag_sort_keys as (
      insert into tag_question_sort_key (question_id, tag_id, active_at)
      select question_id, tag_id, active_at from linked, added
    ), counted_for_author as (
      update member set questions_count = questions_count + 1 where id = ${authorId}
    )
    select id, created_at from added`.execute(tx);
  return one(rows);
}

/**
 * How strongly to lock a question. 'everything': against all changes of it, its answers and its replies, as deletion
 * requires. 'changes': against changes of the question and new posts, but not votes and follows, so that posting and
 * editing block as little as possible.
 */
export type LockStrength = 'everything' | 'changes';

const strengths: Readonly<Record<LockStrength, RawBuilder<unknown>>> = {
  everything: sql`for update`,
  changes: sql`for no key update`,
};

export async function lockQuestion(tx: Tx, id: number, against: LockStrength) {
  const { rows } = await sql<{
    id: number;
    author_id: number | null;
    title: string;
    content: string;
    created_at: Date;
    edited_at: Date | null;
    accepted_answer_id: number | null;
    lock_reason: string | null;
    duplicate_of: number | null;
  }>`
    select id, author_id, title, content, created_at, edited_at, accepted_answer_id, lock_reason, duplicate_of
    from question
    where id = ${id} ${strengths[against]}`.execute(tx);
  return rows[0];
}

/** Replaces the text of a locked question. The edit counts as activity. */
export async function updateQuestion(
  tx: Tx,
  { id, draft, excerpt }: { id: number; draft: QuestionDraft; excerpt: Excerpt },
) {
  await sql`
    with edited as (
      update question
      set title = ${draft.title}, content = ${draft.content}, excerpt = ${excerpt.excerpt},
        excerpt_cut = ${excerpt.cut}, edited_at = now(), active_at = now()
      where id = ${id} returning id, created_at, active_at, upvotes, answer_count
    ), tag_sort_keys as (${sql.raw(writeTagSortKeys('edited'))})
    ${sql.raw(writeQuestionSortKeys('edited'))}`.execute(tx);
}

/** Locks a question to delete, and its duplicates, in the order of their ids. */
export async function lockWithDuplicates(tx: Tx, id: number): Promise<void> {
  await sql`
    select from base_question where id = ${id} or duplicate_of = ${id} order by id for update`.execute(tx);
}

/** Removes the duplicate mark from questions that point to a deleted question. Returns their ids. */
export async function clearDuplicatesOf(tx: Tx, id: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update base_question set duplicate_of = null where duplicate_of = ${id} returning id`.execute(tx);
  return rows.map((row) => row.id);
}

/** Updates the activity time of a locked question, with its sort keys. Returns the names of its tags. */
export async function updateQuestionActivity(
  tx: Tx,
  { id, at }: { id: number; at: Date },
): Promise<string[]> {
  const { rows } = await sql<{ tags: string[] }>`
    with active as (
      update question set active_at = greatest(active_at, ${at}::timestamptz) where id = ${id}
      returning id, created_at, active_at, upvotes, answer_count
    ), sort_key as (${sql.raw(writeQuestionSortKeys('active'))}),
    tag_sort_keys as (${sql.raw(writeTagSortKeys('active'))})
    select ${tagNamesOf(sql`active.id`)} as tags from active`.execute(tx);
  return rows[0]?.tags ?? [];
}

/** A member who opens a question's page. */
export type QuestionView = { questionId: number; memberId: number };

const questionsOf = (views: readonly QuestionView[]) => views.map(({ questionId }) => questionId);
const membersOf = (views: readonly QuestionView[]) => views.map(({ memberId }) => memberId);

/** Prevents questions from being deleted during the transaction. Returns the existing ones. */
export async function lockExistingQuestions(tx: Tx, ids: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from question where id = any(${[...ids]}::bigint[]) order by id for key share`.execute(tx);
  return rows.map((row) => row.id);
}

/** Stores the time of repeated visits. Returns the views that are repeated ones. */
export async function updateVisits(tx: Tx, views: readonly QuestionView[]): Promise<QuestionView[]> {
  const { rows } = await sql<QuestionView>`
    update question_view known set visited_at = greatest(viewed_at, visited_at, now())
    from (
      select question_id, member_id
      from question_view join unnest(${questionsOf(views)}::bigint[], ${membersOf(views)}::bigint[])
        as view (question, member) on question_id = question and member_id = member
      where ${existsForRow(sql`from question visible where visible.id = question_id`)}
      order by question_id, member_id for no key update of question_view
    ) repeat_visit
    where known.question_id = repeat_visit.question_id and known.member_id = repeat_visit.member_id
    returning known.question_id as "questionId", known.member_id as "memberId"`.execute(tx);
  return rows;
}

/** Inserts first views of locked questions. Returns those that were inserted. */
export async function insertViews(tx: Tx, views: readonly QuestionView[]): Promise<QuestionView[]> {
  if (views.length === 0) return [];
  const { rows } = await sql<QuestionView>`
    insert into question_view (question_id, member_id)
    select * from unnest(${questionsOf(views)}::bigint[], ${membersOf(views)}::bigint[]) as view (question, member)
    order by question, member
    on conflict do nothing returning question_id as "questionId", member_id as "memberId"`.execute(tx);
  return rows;
}

export type ViewedQuestion = QuestionCounts & { id: number; author_id: number | null };

/** Adds to the view counts of questions and to their authors' statistics. Rows are locked in the order of their ids. */
export async function addToViewCounts(
  tx: Tx,
  added: readonly { questionId: number; views: number }[],
): Promise<ViewedQuestion[]> {
  if (added.length === 0) return [];
  const { rows } = await sql<ViewedQuestion>`
    with counted as (
      update question set views = question.views + locked.added
      from (
        select id, added
        from question join unnest(
          ${added.map(({ questionId }) => questionId)}::bigint[], ${added.map(({ views }) => views)}::bigint[]
        ) as more (question_id, added) on id = question_id
        order by id for no key update of question
      ) locked
      where question.id = locked.id
      returning question.id, author_id, upvotes, downvotes, views, answer_count, locked.added
    ), statistics as (
      insert into member_statistics_change (member_id, day, views)
      select author_id, utc_day(now()), sum(added) from counted where author_id is not null group by author_id
    )
    select id, author_id, upvotes, downvotes, views, answer_count from counted`.execute(tx);
  return rows;
}

export async function questionExists(db: Reader, id: number): Promise<boolean> {
  const { rows } = await sql`select from question where id = ${id}`.execute(db);
  return rows.length > 0;
}

/**
 * Whether a question had this id and was deleted permanently. Ids come from a sequence and are never given twice; one
 * that a failed transaction left unused counts as deleted.
 */
export async function isQuestionDeleted(db: Reader, id: number): Promise<boolean> {
  const { rows } = await sql<{ deleted: boolean }>`
    select ${id}::bigint <= coalesce(pg_sequence_last_value(pg_get_serial_sequence('base_question', 'id')::regclass), 0)
      and not exists (select from base_question where id = ${id}) as deleted`.execute(db);
  return rows[0]?.deleted === true;
}

/** The question of a visible answer or reply; null without one. */
export async function findQuestionOf(
  db: Reader,
  { kind, id }: { kind: 'answer' | 'reply'; id: number },
): Promise<number | null> {
  const { rows } = await sql<{ questionId: number }>`
    select question_id as "questionId" from ${sql.table(kind)} where id = ${id}`.execute(db);
  return rows[0]?.questionId ?? null;
}
