import { sql } from 'kysely';
import { tagIdOf } from '#server/posts/index.ts';
import type { Reader, Tx } from '#server/core/database.ts';

type TagTextsRow = { id: number; name: string; description: string | null; about: string | null };

/** A tag by its key or that of a synonym. */
export async function findManagedTag(db: Reader, key: string) {
  const { rows } = await sql<
    TagTextsRow & { questions_count: number; followers_count: number; mutes_count: number }
  >`
    select id, name, description, about, questions_count, followers_count,
      (select count(*) from tag_mute where tag_id = tag.id) as mutes_count
    from tag where id = ${tagIdOf(key)}`.execute(db);
  return rows[0];
}

export async function lockTagTexts(tx: Tx, key: string): Promise<TagTextsRow | undefined> {
  const { rows } = await sql<TagTextsRow>`
    select id, name, description, about from tag where key = ${key} and synonym_of is null
    for no key update`.execute(tx);
  return rows[0];
}

/** Sets the texts of a tag. Imports do not bring back a text that is removed, and it loses its source. */
export async function updateTagTexts(
  tx: Tx,
  { id, description, about }: { id: number; description: string | null; about: string | null },
): Promise<void> {
  await sql`update tag set description = ${description}, about = ${about} where id = ${id}`.execute(tx);
  await sql`
    update imported_tag_text set is_removed = true
    where tag_id = ${id}
      and (kind = 'description' and ${description}::text is null or kind = 'about' and ${about}::text is null)`.execute(
    tx,
  );
}
