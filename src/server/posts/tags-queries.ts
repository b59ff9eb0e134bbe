import { tagKey } from '#shared/core/text.ts';
import type { Reader, Tx } from '#server/core/database.ts';
import { existsForRow, one } from '#server/core/sql.ts';
import { sql } from 'kysely';
import { tagSortKeysFrom } from './sort-keys.ts';
import { closeProposalsOfNewTags } from './tag-proposals-closing.ts';
import { isTagVisible } from './tag-visibility.ts';

/** The id of the tag with a key; of a synonym, that of its tag. Null if there is none. */
export const tagIdOf = (key: string) =>
  sql<number | null>`(select coalesce(synonym_of, id) from tag where key = ${key})`;

/**
 * Returns the named tags in the same order, as they are shown, each once. A synonym stands for its tag. Inserts new
 * ones. Until the transaction ends, none of them becomes a synonym.
 */
export async function ensureTags(tx: Tx, names: readonly string[]) {
  if (names.length === 0) return [];
  // Sorted, so that two transactions with the same names take locks in the same order.
  const wanted = names
    .map((name) => ({ name, key: tagKey(name) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const keys = wanted.map((tag) => tag.key);
  let rows = await insertAndLockTags(tx, wanted);
  // A tag was renamed while this transaction waited for its lock: the synonym with its old name is found the next time.
  for (let attempt = 1; rows.length < new Set(keys).size && attempt < 5; attempt += 1)
    rows = await insertAndLockTags(tx, wanted);
  const byKey = new Map(rows.map((row) => [row.key, row]));
  const synonymOf = rows.map((row) => row.synonym_of).filter((id) => id !== null);
  const mainTags = await lockTagNames(tx, synonymOf);
  const tags = names.map((name) => {
    const tag = byKey.get(tagKey(name));
    if (tag === undefined) throw new Error(`the tag '${name}' was not stored`);
    return tag.synonym_of === null ? tag : (mainTags.get(tag.synonym_of) ?? tag);
  });
  return [...new Map(tags.map(({ id, name }) => [id, { id, name }])).values()];
}

type NamedTag = { id: number; name: string; key: string; synonym_of: number | null };

async function insertAndLockTags(
  tx: Tx,
  wanted: readonly { name: string; key: string }[],
): Promise<NamedTag[]> {
  const keys = wanted.map((tag) => tag.key);
  const { rows: inserted } = await sql<{ key: string }>`
    insert into tag (name, key)
    select * from unnest(${wanted.map((tag) => tag.name)}::text[], ${keys}::text[])
    on conflict (key) do nothing returning key`.execute(tx);
  await closeProposalsOfNewTags(
    tx,
    inserted.map((tag) => tag.key),
  );
  // The lock is the one of the foreign key of question_tag. Merging and renaming a tag wait for it.
  const { rows } = await sql<NamedTag>`
    select id, name, key, synonym_of from tag where key = any(${keys}::text[]) order by id for key share`.execute(
    tx,
  );
  return rows;
}

/**
 * Returns the existing and visible ones of these tags: the key of each, and that of its tag, which differs for a synonym.
 */
export async function listKnownTags(db: Reader, names: readonly string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const { rows } = await sql<{ key: string; main: string }>`
    select named.key, tag.key as main from tag named join tag on tag.id = coalesce(named.synonym_of, named.id)
    where named.key = any(${names.map(tagKey)}::text[]) and ${isTagVisible}`.execute(db);
  return new Map(rows.map(({ key, main }) => [key, main]));
}

async function lockTagNames(tx: Tx, ids: readonly number[]) {
  if (ids.length === 0) return new Map<number, { id: number; name: string }>();
  const { rows } = await sql<{ id: number; name: string }>`
    select id, name from tag where id = any(${[...ids]}::bigint[]) order by id for key share`.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}

export async function listQuestionTags(tx: Tx, questionId: number) {
  const { rows } = await sql<{ id: number; name: string }>`
    select tag.id, tag.name from question_tag join tag on tag.id = question_tag.tag_id
    where question_tag.question_id = ${questionId} order by question_tag.position`.execute(tx);
  return rows;
}

/** Replaces the tags of a locked question, their names in `tag_text`, which search reads, and its sort keys per tag. */
export async function replaceQuestionTags(
  tx: Tx,
  { questionId, tags }: { questionId: number; tags: readonly { id: number; name: string }[] },
) {
  await sql`delete from question_tag where question_id = ${questionId}`.execute(tx);
  const names = tags.map((tag) => tag.name).join(', ');
  await sql`
    with linked as (
      insert into question_tag (question_id, question_created_at, tag_id, position)
      select question.id, question.created_at, wanted.tag_id, wanted.position - 1
      from question, unnest(${tags.map((tag) => tag.id)}::bigint[]) with ordinality as wanted (tag_id, position)
      where question.id = ${questionId}
      returning question_id, tag_id
    ), tag_sort_keys as (
      insert into tag_question_sort_key (question_id, tag_id, active_at)
      select question_id, tag_id, active_at from linked join question on question.id = question_id
      where active_at > ${sql.raw(tagSortKeysFrom)}
    )
    update question set tag_text = ${names} where id = ${questionId} and tag_text <> ${names}`.execute(tx);
}

export type LockedTag = { id: number; name: string; is_visible: boolean };

/** Locks a tag by key, of a synonym its tag, because its counts will change. */
export async function lockTag(tx: Tx, key: string): Promise<LockedTag | undefined> {
  for (;;) {
    const { rows } = await sql<LockedTag & { synonym_of: number | null }>`
      select id, name, synonym_of, ${isTagVisible} as is_visible
      from tag where id = ${tagIdOf(key)} for no key update`.execute(tx);
    const [row] = rows;
    // It became a synonym while this transaction waited for the lock.
    if (row === undefined || row.synonym_of === null) return row;
  }
}

/** Locks tags in one statement and in the order of their ids, before several statements change their counts. */
export async function lockTags(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`select id from tag where id = any(${[...ids]}::bigint[]) order by id for no key update`.execute(
    tx,
  );
}

/**
 * Counts questions that joined each of these tags, or left them (negative), and updates their activity. Returns the
 * counts. Rows are locked in the order of their ids.
 * @param at the time of their latest post
 */
export async function changeTagCounts(
  tx: Tx,
  { ids, by, at }: { ids: readonly number[]; by: number; at: Date },
) {
  if (ids.length === 0) return [];
  const activeAt =
    by > 0
      ? sql`greatest(active_at, ${at}::timestamptz)`
      : sql`case when active_at > ${at}::timestamptz then active_at else ${latestPostOfTag} end`;
  const { rows } = await sql<{ name: string; questions_count: number }>`
    update tag set questions_count = questions_count + ${by}, active_at = ${activeAt}
    where id in (select id from tag where id = any(${[...ids]}::bigint[]) order by id for no key update)
    returning name, questions_count`.execute(tx);
  return rows;
}

/** The time of a question's latest answer, or of the question itself. */
export async function getLatestPostTime(tx: Tx, questionId: number): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`
    select greatest(
      question.created_at,
      (select max(created_at) from answer where question_id = question.id)
    ) as at
    from question where question.id = ${questionId}`.execute(tx);
  return one(rows).at;
}

/** Sets the activity time of the tags of questions, unless they have a later one. */
export const updateTagActivityStatement = ({
  questionIds,
  at,
}: {
  questionIds: readonly number[];
  at: Date;
}) => sql`
  update tag set active_at = greatest(active_at, ${at}::timestamptz)
  where id in (
    select id from tag where id in (
      select tag_id from question_tag where question_id = any(${[...questionIds]}::bigint[])
    ) order by id for no key update
  )`;

/** For a tag with up to this many questions, the latest answer of each is read. */
export const maxQuestionsScanned = sql.lit(500);

/**
 * The time of the latest post with the tag of the outer row. For a tag with many questions, an answer later than its
 * newest question is searched among the latest answers of the whole site.
 */
const latestPostOfTag = sql`case when questions_count <= ${maxQuestionsScanned} then (
    select max(greatest(question_created_at, (select max(created_at) from answer where question_id = link.question_id)))
    from question_tag link where link.tag_id = tag.id
  ) else (
    select greatest(newest.question_created_at, (
      select answer.created_at from answer
      where answer.created_at > newest.question_created_at
        and ${existsForRow(sql`from question_tag where question_id = answer.question_id and tag_id = tag.id`)}
      order by answer.created_at desc, answer.id desc limit 1
    ))
    from (
      select question_created_at from question_tag where tag_id = tag.id order by question_created_at desc, question_id desc limit 1
    ) newest
  ) end`;

/** Recomputes the activity time of tags whose latest post was the deleted one at time `at`. */
export async function recomputeTagActivity(tx: Tx, { ids, at }: { ids: readonly number[]; at: Date }) {
  if (ids.length === 0) return;
  await sql`
    update tag set active_at = ${latestPostOfTag}
    where id in (select id from tag where id = any(${[...ids]}::bigint[]) order by id for no key update)
      and active_at <= ${at}::timestamptz`.execute(tx);
}
