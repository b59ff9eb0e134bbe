import { sql } from 'kysely';
import type { Tx } from '#server/core/database.ts';
import type { PostKind, PostRef } from '#shared/core/fields.ts';

export type AuthorChange = { fromId: number; intoId: number };

const kinds = ['question', 'answer', 'reply'] as const satisfies PostKind[];

/** Returns a question with posts of the member in its thread, hidden or not; undefined if there is none. */
export async function findThreadOf(tx: Tx, authorId: number): Promise<number | undefined> {
  const parts = kinds.flatMap((kind) =>
    [sql`is null`, sql`is not null`].map(
      (hidden) => sql`(
        select ${kind === 'question' ? sql`id` : sql`question_id`} as id from ${sql.table(`base_${kind}`)}
        where author_id = ${authorId} and hidden_by ${hidden} limit 1
      )`,
    ),
  );
  const { rows } = await sql<{ id: number }>`${sql.join(parts, sql` union all `)} limit 1`.execute(tx);
  return rows[0]?.id;
}

/** Locks a question, hidden or not: no one changes its thread meanwhile. */
export async function lockThread(tx: Tx, questionId: number): Promise<void> {
  await sql`select id from base_question where id = ${questionId} for update`.execute(tx);
}

/** Locks the posts of the member in a thread, and returns the visible ones. */
export async function lockPostsOf(
  tx: Tx,
  { questionId, authorId }: { questionId: number; authorId: number },
): Promise<PostRef[]> {
  for (const kind of ['answer', 'reply'])
    await sql`
      select id from ${sql.table(`base_${kind}`)} where question_id = ${questionId} and author_id = ${authorId}
      order by id for no key update`.execute(tx);
  const { rows } = await sql<PostRef>`
    select 'question' as kind, id from question where id = ${questionId} and author_id = ${authorId}
    union all select 'answer', id from answer where question_id = ${questionId} and author_id = ${authorId}
    union all select 'reply', id from reply
    where question_id = ${questionId} and author_id = ${authorId} and deleted_at is null`.execute(tx);
  return rows;
}

export async function lockAuthors(tx: Tx, { fromId, intoId }: AuthorChange): Promise<void> {
  await sql`select id from member where id in (${fromId}, ${intoId}) order by id for no key update`.execute(
    tx,
  );
}

/** Gives the posts of a member in a locked thread another author. Returns how many, with hidden and deleted ones. */
export async function setAuthor(
  tx: Tx,
  { questionId, fromId, intoId }: AuthorChange & { questionId: number },
): Promise<number> {
  const update = (table: string, question: string) => sql`
    update ${sql.table(table)} set author_id = ${intoId}
    where author_id = ${fromId} and ${sql.ref(question)} = ${questionId} returning 1`;
  const { rows } = await sql<{ count: number }>`
    with changed_question as (${update('base_question', 'id')}), changed_answer as (${update('base_answer', 'question_id')}),
      changed_reply as (${update('base_reply', 'question_id')}), changed_hidden as (${update('hidden_post', 'question_id')})
    select (select count(*) from changed_question) + (select count(*) from changed_answer)
      + (select count(*) from changed_reply) as count`.execute(tx);
  return rows[0]?.count ?? 0;
}
