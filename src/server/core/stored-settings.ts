import { sql } from 'kysely';
import type { Reader, Tx } from './database.ts';
import { one } from './sql.ts';

/** Returns the stored value of a setting. If there is none, stores `value`, unless another node stores one first. */
export async function getOrInsertSetting(tx: Tx, name: string, value: string): Promise<string> {
  await sql`insert into setting (name, value) values (${name}, ${value}) on conflict do nothing`.execute(tx);
  const { rows } = await sql<{ value: string }>`
    select value from setting where name = ${name} for update`.execute(tx);
  return one(rows).value;
}

/** Returns the stored value of a setting; undefined if there is none. */
export async function findStoredSetting(db: Reader, name: string): Promise<string | undefined> {
  const { rows } = await sql<{ value: string }>`select value from setting where name = ${name}`.execute(db);
  return rows[0]?.value;
}
