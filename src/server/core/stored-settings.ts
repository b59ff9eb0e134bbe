import type { Tx } from './database.ts';

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
