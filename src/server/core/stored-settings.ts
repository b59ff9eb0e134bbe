import type { Tx } from './database.ts';

/** What is kept under a name; where there is nothing, or another node is about to be first, whatever is kept first. */
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
