import type { Reader, Tx } from './database.ts';

/** Returns the stored value of a setting. If there is none, stores `value`, unless another node stores one first. */
export async function getOrInsertSetting(tx: Tx, name: string, value: string): Promise<string> {
  await tx
    .insertInto('setting')
    .values({ name, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const stored = await tx
    .selectFrom('setting')
    .select('value')
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return stored.value;
}

/** Returns the stored value of a setting; undefined if there is none. */
export async function findSetting(db: Reader, name: string): Promise<string | undefined> {
  const stored = await db.selectFrom('setting').select('value').where('name', '=', name).executeTakeFirst();
  return stored?.value;
}
