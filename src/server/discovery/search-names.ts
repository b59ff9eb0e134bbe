import { sql } from 'kysely';
import type { Reader } from '#server/core/database.ts';
import { likeStarts } from '#server/core/sql.ts';

/** The id of the tag with that key; none where there is no such tag. */
export async function findTagIds(db: Reader, key: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`select id from tag where key = ${key}`.execute(db);
  return rows.map((row) => row.id);
}

/** Of one name, so many members at most are meant by it. */
const sameName = 50;

/** Who is meant by an id or a name: those who have exactly this one, without case, or else those whose begins with it. */
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
      where ${namePrefix} like lower(${likeStarts(name)}) limit ${sameName})`.execute(db);
  const exact = rows.some((row) => row.exact);
  return rows.filter((row) => row.exact === exact).map((row) => row.id);
}

/** As the index member_name_prefix has it. */
export const namePrefix = sql`lower(left(member.display_name, 80))`;
