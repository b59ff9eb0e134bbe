import { sql } from 'kysely';
import type { Reader, Tx } from '#server/core/database.ts';
import { publishAll } from '#server/core/events.ts';
import { lockSetting, readSiteSettings, storeSiteSetting } from '#server/core/site-settings.ts';
import { one } from '#server/core/sql.ts';
import { tagKey } from '#shared/core/text.ts';

/** Revisions that one transaction of the job reads. */
const revisionsPerStep = 2_000;

/** The key of the removed name, and the name of the tag now. */
type Removal = { key: string; name: string };

/** Replaces a name where settings, decisions and what waits for one refer to a tag by its name. */
export async function replaceTagReferences(tx: Tx, { key, name }: Removal): Promise<void> {
  const newKey = tagKey(name);
  await replaceInSubmissions(tx, { key, name }, waiting);
  await sql`
    update webhook set tags = array(
      select distinct case chosen when ${key} then ${newKey} else chosen end from unnest(tags) chosen
    )
    where ${key} = any(tags)`.execute(tx);
  await sql`
    update tag_proposal set name = ${name}, key = ${newKey} where key = ${key} and status <> 'open' and tag_id is not null`.execute(
    tx,
  );
  await lockSetting(tx, 'requiredTags');
  const { requiredTags } = await readSiteSettings(tx);
  if (requiredTags.some((tag) => tagKey(tag) === key))
    await storeSiteSetting(tx, 'requiredTags', [
      ...new Set(requiredTags.map((tag) => (tagKey(tag) === key ? name : tag))),
    ]);
}

/** Deletes the row of a synonym that nothing uses. What refers to it refers to its tag then. Programs learn of it. */
export async function deleteSynonym(tx: Tx, { id, tagId }: { id: number; tagId: number }): Promise<void> {
  await sql`
    update tag_change set
      tag_id = case tag_id when ${id} then ${tagId} else tag_id end,
      into_id = case into_id when ${id} then ${tagId} else into_id end
    where ${id} in (tag_id, into_id)`.execute(tx);
  await sql`
    update announcement moved set tag_id = ${tagId} where tag_id = ${id} and not exists (
      select from announcement where tag_id = ${tagId} and question_id = moved.question_id
    )`.execute(tx);
  await sql`delete from announcement where tag_id = ${id}`.execute(tx);
  await sql`update tag_proposal set tag_id = ${tagId} where tag_id = ${id}`.execute(tx);
  // A merge moved the questions: the changes add up to 0 with the statistics, which are deleted with the row.
  await sql`delete from tag_statistics_change where tag_id = ${id}`.execute(tx);
  const { rows } = await sql<{ name: string }>`delete from tag where id = ${id} returning name`.execute(tx);
  const { name: tag } = one(rows);
  await publishAll(tx, [{ topic: 'tags', event: { kind: 'tag-changed', tag, deletedId: id } }]);
}

/**
 * Replaces a removed name in some earlier versions of questions, in the order of their ids. After the last one, replaces it
 * in what was suggested or held meanwhile, and removes its words from the vocabulary of the search.
 * @param after the last revision that was read; null to begin
 * @returns the last revision that was read now; null if the name is gone
 */
export async function removeSomeTagNames(
  tx: Tx,
  removal: Removal & { after: number | null },
): Promise<number | null> {
  const after = removal.after ?? 0;
  const { rows } = await sql<{ id: number }>`
    select id from revision where id > ${after} order by id limit ${sql.lit(revisionsPerStep)}`.execute(tx);
  const last = rows.at(-1)?.id ?? null;
  if (last === null) {
    await replaceInSubmissions(tx, removal, all);
    await removeUnusedWords(tx, removal.key);
  } else {
    const read = sql`id > ${after} and id <= ${last}`;
    await replaceInColumn(tx, { ...removal, table: 'revision', column: 'tags', where: read });
  }
  return last;
}

/** Suggested edits and held questions would create the tag again. `all` includes those that were decided. */
async function replaceInSubmissions(tx: Tx, removal: Removal, where: typeof all): Promise<void> {
  for (const [table, column] of [
    ['edit_suggestion', 'tags'],
    ['edit_suggestion', 'base_tags'],
    ['held_post', 'tags'],
  ] as const)
    await replaceInColumn(tx, { ...removal, table, column, where: where[table] });
}

const all = { edit_suggestion: sql`true`, held_post: sql`true` };

/** Each condition has an index, because a request waits for it. */
const waiting: typeof all = {
  edit_suggestion: sql`status = 'open'`,
  held_post: sql`id in (select held_post_id from review_item where held_post_id is not null)`,
};

/** Replaces a name in an array of names, each of which stays in it once. */
async function replaceInColumn(
  tx: Tx,
  {
    key,
    name,
    table,
    column,
    where,
  }: Removal & { table: string; column: string; where: ReturnType<typeof sql> },
): Promise<void> {
  const names = sql.ref(column);
  const { rows } = await sql<{ name: string }>`
    select distinct unnest(${names}) as name from ${sql.table(table)} where ${where}`.execute(tx);
  const spellings = rows.map((row) => row.name).filter((each) => tagKey(each) === key);
  if (spellings.length === 0) return;
  await sql`
    update ${sql.table(table)} set ${names} = array(
      select name from (
        select case when each = any(${spellings}::text[]) then ${name} else each end as name, position
        from unnest(${names}) with ordinality as list (each, position)
      ) replaced group by name order by min(position)
    )
    where ${where} and ${names} && ${spellings}::text[]`.execute(tx);
}

/** Suggestions for typing errors would show the words of the name. */
async function removeUnusedWords(tx: Tx, key: string): Promise<void> {
  await sql`
    delete from search_word where word = any(tsvector_to_array(search_words(${key})))
      and not exists (select from question where search_vector @@ quote_literal(word)::tsquery)
      and not exists (select from answer where search_vector @@ quote_literal(word)::tsquery)`.execute(tx);
}

/**
 * Returns removed names by their keys, with the present name of the tag, the earliest removal first. A name may have been
 * used and removed again.
 */
export async function listRemovedNames(
  db: Reader,
  keys: readonly string[],
): Promise<{ key: string; name: string; at: Date }[]> {
  const { rows } = await sql<{ key: string; name: string; at: Date }>`
    select change.removed_key as key, main.name, change.created_at as at
    from tag_change change join tag on tag.id = coalesce(change.into_id, change.tag_id)
    join tag main on main.id = coalesce(tag.synonym_of, tag.id)
    where change.removed_key = any(${[...keys]}::text[]) order by change.id`.execute(db);
  return rows;
}
