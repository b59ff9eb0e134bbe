import { sql } from 'kysely';
import type { Tx } from '#server/platform/database.ts';
import { tagKey } from '#shared/tags.ts';

/** The ids of the tags named, in the same order; names seen for the first time become tags. */
export async function tagIds(tx: Tx, names: readonly string[]): Promise<number[]> {
  if (names.length === 0) return [];
  // Sorted, so that two transactions with the same names wait for each other in one order.
  const wanted = names
    .map((name) => ({ name, key: tagKey(name) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  await sql`
    insert into tag (name, key)
    select * from unnest(${wanted.map((tag) => tag.name)}::text[], ${wanted.map((tag) => tag.key)}::text[])
    on conflict (key) do nothing`.execute(tx);
  const { rows } = await sql<{ id: number; key: string }>`
    select id, key from tag where key = any(${wanted.map((tag) => tag.key)}::text[])`.execute(tx);
  const byKey = new Map(rows.map((row) => [row.key, row.id]));
  return names.map((name) => {
    const id = byKey.get(tagKey(name));
    if (id === undefined) throw new Error(`tag '${name}' was not stored`);
    return id;
  });
}

export async function tagsOfQuestion(tx: Tx, questionId: number) {
  const { rows } = await sql<{ id: number; name: string }>`
    select tag.id, tag.name from question_tag join tag on tag.id = question_tag.tag_id
    where question_tag.question_id = ${questionId} order by question_tag.position`.execute(tx);
  return rows;
}

export async function replaceQuestionTags(
  tx: Tx,
  { questionId, ids }: { questionId: number; ids: readonly number[] },
) {
  await sql`delete from question_tag where question_id = ${questionId}`.execute(tx);
  await sql`
    insert into question_tag (question_id, tag_id, position)
    select ${questionId}, tag_id, position - 1
    from unnest(${[...ids]}::bigint[]) with ordinality as wanted (tag_id, position)`.execute(tx);
}

/** Adds to the number of questions of each tag; the rows are locked in id order. */
export async function changeTagCounts(tx: Tx, { ids, by }: { ids: readonly number[]; by: 1 | -1 }) {
  if (ids.length === 0) return;
  await sql`
    update tag set questions_count = questions_count + ${by}
    where id in (select id from tag where id = any(${[...ids]}::bigint[]) order by id for no key update)`.execute(
    tx,
  );
}
