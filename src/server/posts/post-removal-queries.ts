import { type RawBuilder, sql } from 'kysely';
import { keepWantedDeliveries } from '#server/notifications/index.ts';
import type { PostKind, PostRef } from '#shared/core/fields.ts';
import type { Tx } from '#server/core/database.ts';
import type { PostIds } from './posts.ts';
import { selectPoints } from './reputation.ts';

/** A post that is removed or restored. */
export type AffectedPost = PostRef & { author_id: number | null; created_at: Date; edited_at: Date | null };

/** The visible posts that are removed with a post: itself and everything below it. A reply is removed alone. */
export async function listAffectedPosts(tx: Tx, { kind, id }: PostRef): Promise<AffectedPost[]> {
  const select = (table: PostKind, condition: RawBuilder<unknown>) => sql`
    select ${sql.lit(table)} as kind, id, author_id, created_at, edited_at from ${sql.table(table)} where ${condition}`;
  const queries = {
    question: [
      select('question', sql`id = ${id}`),
      select('answer', sql`question_id = ${id}`),
      select('reply', sql`question_id = ${id}`),
    ],
    answer: [select('answer', sql`id = ${id}`), select('reply', sql`answer_id = ${id}`)],
    reply: [select('reply', sql`id = ${id}`)],
  };
  const { rows } = await sql<AffectedPost>`${sql.join(queries[kind], sql` union all `)}`.execute(tx);
  return rows;
}

/**
 * Hides a post of a locked question, everything below it, its tags, and the notifications about these posts. Deletes
 * sort keys, because they exist for visible posts only. Returns the members for whom one was unread.
 */
export async function hideRows(
  tx: Tx,
  { post: { kind, id }, hiddenBy }: { post: PostRef; hiddenBy: number },
): Promise<number[]> {
  const below = sql.ref(`${kind}_id`);
  const hide = (table: string, condition: RawBuilder<unknown>) => sql`
    update ${sql.table(`base_${table}`)} set hidden_by = ${hiddenBy}::bigint where ${condition} and hidden_by is null`;
  const deleteKeys = (table: string, condition: RawBuilder<unknown>) =>
    sql`delete from ${sql.table(table)} where ${condition}`;
  const parts = [
    hide(kind, sql`id = ${id}`),
    ...(kind === 'question'
      ? [
          hide('answer', sql`${below} = ${id}`),
          hide('question_tag', sql`${below} = ${id}`),
          deleteKeys('question_sort_key', sql`${below} = ${id}`),
          deleteKeys('tag_question_sort_key', sql`${below} = ${id}`),
        ]
      : []),
    ...(kind === 'reply'
      ? []
      : [hide('reply', sql`${below} = ${id}`), deleteKeys('answer_score', sql`${below} = ${id}`)]),
  ].map((part, index) => sql`${sql.ref(`part_${index}`)} as (${part})`);
  const { rows } = await sql<{ recipient_id: number }>`
    with ${sql.join(parts)}, hidden_notification as (
      ${hide('notification', sql`${below} = ${id}`)} returning recipient_id, read_at
    )
    select distinct recipient_id from hidden_notification where read_at is null`.execute(tx);
  return rows.map((row) => row.recipient_id);
}

/**
 * Shows the rows again that an action hid. Pending emails and pushes of notifications are sent if their recipients still
 * want them. Returns the posts, and the members for whom a notification is unread.
 */
export async function showRows(
  tx: Tx,
  hiddenBy: number,
): Promise<{ posts: AffectedPost[]; recipientIds: number[] }> {
  const show = (table: string, more = sql``) => sql`
    update ${sql.table(`base_${table}`)} set hidden_by = null ${more} where hidden_by = ${hiddenBy}`;
  const { rows } = await sql<AffectedPost | { kind: 'notification'; id: number }>`
    with shown_question as (${show('question')} returning *), shown_answer as (${show('answer')} returning *),
    shown_reply as (${show('reply', sql`, is_placeholder = false`)} returning *), shown_tag as (${show('question_tag')}),
    shown_notification as (${show('notification', sql`, ${keepWantedDeliveries}`)} returning *)
    select 'question' as kind, id, author_id, created_at, edited_at from shown_question
    union all select 'answer', id, author_id, created_at, edited_at from shown_answer
    union all select 'reply', id, author_id, created_at, edited_at from shown_reply
    union all
    select distinct 'notification', recipient_id, null::bigint, null::timestamptz, null::timestamptz
    from shown_notification where read_at is null`.execute(tx);
  return {
    posts: rows.filter((row) => row.kind !== 'notification'),
    recipientIds: rows.filter((row) => row.kind === 'notification').map(({ id }) => id),
  };
}

/**
 * Adds the posts to the counts of their authors, and the votes on them to their reputation, or subtracts them. The
 * posts must be visible. Members are locked in the order of their ids.
 */
export async function changeAuthorCounts(
  tx: Tx,
  { questionIds, answerIds, replyIds }: PostIds,
  by: 1 | -1,
): Promise<void> {
  const ids = (list: readonly number[]) => sql`any(${[...list]}::bigint[])`;
  const points = (kind: PostKind, list: readonly number[]) => sql`
    select post.author_id, ${selectPoints(kind, sql`vote.direction`)}, 0, 0
    from ${sql.table(kind)} post join vote on vote.${sql.ref(`${kind}_id`)} = post.id
    where post.id = ${ids(list)} and vote.member_id <> post.author_id`;
  await sql`
    update member set reputation = member.reputation + locked.points,
      questions_count = member.questions_count + locked.questions,
      answers_count = member.answers_count + locked.answers
    from (
      select id, points, questions, answers from member join (
        select author_id, sum(points) * ${sql.lit(by)} as points, sum(questions) * ${sql.lit(by)} as questions,
          sum(answers) * ${sql.lit(by)} as answers
        from (
          select author_id, 0 as points, 1 as questions, 0 as answers from question where id = ${ids(questionIds)}
          union all select author_id, 0, 0, 1 from answer where id = ${ids(answerIds)}
          union all ${points('question', questionIds)}
          union all ${points('answer', answerIds)}
          union all ${points('reply', replyIds)}
        ) each group by author_id
      ) changed on author_id = id
      order by id for no key update of member
    ) locked
    where member.id = locked.id`.execute(tx);
}

const hiddenPostContent = sql`
  case post_kind
    when 'question' then (select content from base_question where base_question.id = post_id)
    when 'answer' then (select content from base_answer where base_answer.id = post_id)
    else (select content from base_reply where base_reply.id = post_id)
  end as content`;

/** SQL: the title of the question and the content of a row of `hidden_post`, which reads them from their tables. */
export const hiddenPostTexts = sql`
  (select title from base_question where base_question.id = hidden_post.question_id) as title,
  ${hiddenPostContent}`;

/** The same for the author of the post. The title is null if the question of another member is hidden as well. */
export const ownHiddenPostTexts = sql`
  (select title from base_question where base_question.id = hidden_post.question_id
    and (hidden_by is null or base_question.author_id = hidden_post.author_id)) as title,
  ${hiddenPostContent}`;

/**
 * SQL: the stored title of a message of the moderators. Null while the question of another member is hidden, and when it
 * is deleted.
 */
export const messageTitle = sql`
  case when moderator_message.question_id is null or exists (
    select from base_question where base_question.id = moderator_message.question_id
      and (hidden_by is null or author_id = moderator_message.member_id)
  ) then title end as title`;

/** A hidden post in `hidden_post`. */
type HiddenPostRef = { id: number; post_kind: PostKind; post_id: number };

/**
 * Locks the question, as every change of a thread does, and the action. Returns undefined if the post was restored or
 * deleted permanently meanwhile.
 */
export async function lockHiddenPost(tx: Tx, id: number): Promise<HiddenPostRef | undefined> {
  await sql`
    select from base_question where id = (select question_id from hidden_post where id = ${id}) for update`.execute(
    tx,
  );
  const { rows } = await sql<HiddenPostRef>`
    select id, post_kind, post_id from hidden_post where id = ${id} for update`.execute(tx);
  return rows[0];
}

/** The tags of hidden ones of these questions. */
export async function listTagsOfHidden(tx: Tx, questionIds: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct tag_id as id from base_question_tag
    where question_id = any(${[...questionIds]}::bigint[]) and hidden_by is not null`.execute(tx);
  return rows.map((row) => row.id);
}

/** Keeps tags of hidden questions that are deleted permanently hidden, if they have no visible question. */
export async function markTagsOfPurged(tx: Tx, tagIds: readonly number[]): Promise<void> {
  await sql`
    update tag set has_purged_questions = true
    where id in (
      select id from tag
      where questions_count = 0 and not has_purged_questions and id = any(${[...tagIds]}::bigint[])
      order by id for no key update
    )`.execute(tx);
}

/** Deletes a question or an answer with everything below it, hidden or not, by cascade. */
export async function deletePostRows(tx: Tx, { kind, id }: { kind: 'question' | 'answer'; id: number }) {
  await sql`delete from ${sql.table(`base_${kind}`)} where id = ${id}`.execute(tx);
  await sql`delete from hidden_post where ${sql.ref(`${kind}_id`)} = ${id}`.execute(tx);
}

export async function deleteHiddenPost(tx: Tx, id: number): Promise<void> {
  await sql`delete from hidden_post where id = ${id}`.execute(tx);
}

export async function listHiddenPostIds(tx: Tx, { authorId, limit }: { authorId: number; limit: number }) {
  const { rows } = await sql<{ id: number }>`
    select id from hidden_post where author_id = ${authorId} order by id limit ${limit}`.execute(tx);
  return rows.map((row) => row.id);
}
