import { sql } from 'kysely';
import type { Queryable, Tx } from '#server/core/database.ts';

/** Whether the community was set up in the browser or has an admin. The index member_moderator serves the query. */
export async function isSetUp(db: Queryable): Promise<boolean> {
  const { rows } = await sql<{ done: boolean }>`
    select exists (select from setting where name = 'set_up_at')
      or exists (select from member where role = 'admin') as done`.execute(db);
  return rows[0]?.done === true;
}

export async function hasMembers(db: Queryable): Promise<boolean> {
  const { rows } = await sql`select from member order by id limit 1`.execute(db);
  return rows.length > 0;
}

/** Returns false if it was set up before. A second transaction at the same time waits for the first. */
export async function markSetUp(tx: Tx): Promise<boolean> {
  const { rows } = await sql`
    insert into setting (name, value) values ('set_up_at', now()::text)
    on conflict (name) do nothing returning name`.execute(tx);
  return rows.length > 0;
}
