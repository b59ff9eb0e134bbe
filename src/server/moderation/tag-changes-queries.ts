import { sql } from 'kysely';
import type { Queryable, Reader, Tx } from '#server/core/database.ts';
import { one } from '#server/core/sql.ts';

export type ManagedTagRow = {
  id: number;
  name: string;
  key: string;
  synonym_of: number | null;
  questions_count: number;
};

/** Locks tags by their keys against every use, so that none gets questions, follows or mutes meanwhile. */
export async function lockTagsByKey(tx: Tx, keys: readonly string[]): Promise<Map<string, ManagedTagRow>> {
  const { rows } = await sql<ManagedTagRow>`
    select id, name, key, synonym_of, questions_count from tag where key = any(${[...keys]}::text[])
    order by id for update`.execute(tx);
  return new Map(rows.map((row) => [row.key, row]));
}

/** Locks the tag with an id against every use. */
export async function lockTagForUpdate(tx: Tx, id: number): Promise<void> {
  await sql`select from tag where id = ${id} for update`.execute(tx);
}

/** Whether questions, also hidden ones, follows or mutes have the tag. */
export async function isTagUsed(tx: Tx, id: number): Promise<boolean> {
  const { rows } = await sql<{ used: boolean }>`
    select exists (select from question_tag where tag_id = ${id})
      or exists (select from base_question_tag where tag_id = ${id} and hidden_by is not null)
      or exists (select from tag_follow where tag_id = ${id})
      or exists (select from tag_mute where tag_id = ${id})
      or exists (select from tag where synonym_of = ${id}) as used`.execute(tx);
  return rows[0]?.used === true;
}

/** Whether members follow the tag or muted it. */
export async function hasMembers(tx: Tx, id: number): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (select from tag_follow where tag_id = ${id})
      or exists (select from tag_mute where tag_id = ${id}) as has`.execute(tx);
  return rows[0]?.has === true;
}

/** Returns false if another transaction has just created a tag with this name. */
export async function insertSynonym(
  tx: Tx,
  { name, key, tagId }: { name: string; key: string; tagId: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into tag (name, key, synonym_of) values (${name}, ${key}, ${tagId})
    on conflict (key) do nothing`.execute(tx);
  return numAffectedRows === 1n;
}

export async function setSynonymOf(
  tx: Tx,
  { id, synonymOf }: { id: number; synonymOf: number | null },
): Promise<void> {
  await sql`update tag set synonym_of = ${synonymOf} where id = ${id}`.execute(tx);
}

/** Makes a tag a synonym of another one, and with it its synonyms. */
export async function mergeTagNames(tx: Tx, { from, into }: { from: number; into: number }): Promise<void> {
  await sql`
    update tag set synonym_of = ${into}, description = null, about = null
    where id = ${from} or synonym_of = ${from}`.execute(tx);
  await sql`update imported_tag_text set is_removed = true where tag_id = ${from}`.execute(tx);
}

/** Renames a tag. The new name is no synonym any more; the old one becomes one if it is kept. */
export async function renameTag(
  tx: Tx,
  { tag, name, key, keepSynonym }: { tag: ManagedTagRow; name: string; key: string; keepSynonym: boolean },
): Promise<void> {
  // The new name can be a synonym of this tag: its row takes the old name. Both have a key of their own meanwhile.
  if (key !== tag.key && keepSynonym) {
    await sql`update tag set key = chr(1) || id where key = ${key}`.execute(tx);
    await sql`update tag set key = chr(1) || id where id = ${tag.id}`.execute(tx);
    await sql`
      with renamed as (
        update tag set name = ${tag.name}, key = ${tag.key}
        where synonym_of = ${tag.id} and key = chr(1) || id returning id
      )
      insert into tag (name, key, synonym_of)
      select ${tag.name}, ${tag.key}, ${tag.id} where not exists (select from renamed)`.execute(tx);
  }
  await sql`update tag set name = ${name}, key = ${key} where id = ${tag.id}`.execute(tx);
}

export async function listSynonyms(db: Reader, tagId: number): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from tag where synonym_of = ${tagId} order by key`.execute(db);
  return rows.map((row) => row.name);
}

export type TagChangeRow = {
  id: number;
  kind: 'merge' | 'rename' | 'remove_name';
  tag_id: number;
  tag_name: string;
  into_id: number | null;
  into_name: string | null;
  questions: number;
  questions_done: number;
  at_created_at: Date | null;
  at_question_id: number | null;
  /** The key of a name that is removed everywhere; null if the old name stays as a synonym. */
  removed_key: string | null;
  /** The last revision in which the name was replaced; null before that begins. */
  revisions_read_to: number | null;
};

const selectTagChange = sql`
  select change.*, tag.name as tag_name, into_tag.name as into_name
  from tag_change change join tag on tag.id = change.tag_id left join tag into_tag on into_tag.id = change.into_id`;

/** The running change of a tag or into it. */
export async function findRunningTagChange(db: Reader, tagId: number): Promise<TagChangeRow | undefined> {
  const { rows } = await sql<TagChangeRow>`
    ${selectTagChange} where change.finished_at is null and ${tagId} in (change.tag_id, change.into_id)`.execute(
    db,
  );
  return rows[0];
}

export async function insertTagChange(
  tx: Tx,
  change: {
    kind: TagChangeRow['kind'];
    tagId: number;
    intoId: number | null;
    questions: number;
    removedKey: string | null;
  },
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into tag_change (kind, tag_id, into_id, questions, removed_key)
    values (${change.kind}, ${change.tagId}, ${change.intoId}, ${change.questions}, ${change.removedKey})
    returning id`.execute(tx);
  return one(rows).id;
}

export async function listRunningTagChanges(db: Queryable): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from tag_change where finished_at is null order by id limit 100`.execute(db);
  return rows.map((row) => row.id);
}

/** Locks a running change, so that one node at a time continues it. */
export async function lockTagChange(tx: Tx, id: number): Promise<TagChangeRow | undefined> {
  const { rows } = await sql<TagChangeRow>`
    ${selectTagChange} where change.id = ${id} and change.finished_at is null for update of change`.execute(
    tx,
  );
  return rows[0];
}

export async function addTagChangeProgress(
  tx: Tx,
  { id, questions, at }: { id: number; questions: number; at: { createdAt: Date; id: number } | null },
): Promise<void> {
  await sql`
    update tag_change set questions_done = questions_done + ${questions},
      at_created_at = ${at?.createdAt ?? null}, at_question_id = ${at?.id ?? null}
    where id = ${id}`.execute(tx);
}

export async function setRevisionsReadTo(
  tx: Tx,
  { id, revisionId }: { id: number; revisionId: number },
): Promise<void> {
  await sql`update tag_change set revisions_read_to = ${revisionId} where id = ${id}`.execute(tx);
}

export async function finishTagChange(
  tx: Tx,
  { id, tagId, kind }: { id: number; tagId: number; kind: string },
) {
  await sql`update tag_change set finished_at = clock_timestamp() where id = ${id}`.execute(tx);
  if (kind === 'merge') await sql`update tag set active_at = null where id = ${tagId}`.execute(tx);
}
