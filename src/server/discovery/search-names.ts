import { sql } from 'kysely';
import type { Reader } from '#server/core/database.ts';
import { likePrefix } from '#server/core/sql.ts';

/** Returns the id of the tag with that key, or no id. */
export async function findTagIds(db: Reader, key: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`select id from tag where key = ${key}`.execute(db);
  return rows.map((row) => row.id);
}

/** Members with the same name that a search considers at most. */
const sameName = 50;

/**
 * Returns the members that an id or a name means: those with exactly this name, without case, otherwise those whose
 * name begins with it.
 */
export async function findMemberIds(db: Reader, name: string): Promise<number[]> {
  if (/^\d{1,15}$/u.test(name)) {
    const { rows } = await sql<{ id: number }>`select id from member where id = ${Number(name)}`.execute(db);
    return rows.map((row) => row.id);
  }
  const { rows } = await sql<{ id: number; exact: boolean }>`
    (select id, true as exact from member
      where ${namePrefix} = lower(left(${name}, 80)) limit ${sameName})
    union all
    (select id, false as exact from member
      where ${namePrefix} like lower(${likePrefix(name)}) limit ${sameName})`.execute(db);
  const exact = rows.some((row) => row.exact);
  return rows.filter((row) => row.exact === exact).map((row) => row.id);
}

/** The expression of the index member_name_prefix. */
export const namePrefix = sql`lower(left(member.display_name, 80))`;
