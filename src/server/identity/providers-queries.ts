import type { Queryable, Tx } from '#server/core/database.ts';

/** Returns the member linked to an account at the provider; undefined if there is none. */
export async function findMemberByProviderAccount(
  db: Queryable,
  { providerId, subject }: { providerId: string; subject: string },
) {
  return db
    .selectFrom('account')
    .select('member_id as memberId')
    .where('provider_id', '=', providerId)
    .where('account_id', '=', subject)
    .executeTakeFirst();
}

/** Returns the member's account at the provider. */
export async function findProviderAccount(
  db: Queryable,
  { providerId, memberId }: { providerId: string; memberId: number },
) {
  return db
    .selectFrom('account')
    .select(['id', 'created_at'])
    .where('provider_id', '=', providerId)
    .where('member_id', '=', memberId)
    .executeTakeFirst();
}

/** Returns when each account of a member at a provider was linked, by `account.provider_id`. */
export async function listProviderAccounts(db: Queryable, memberId: number): Promise<Map<string, Date>> {
  const rows = await db
    .selectFrom('account')
    .select(['provider_id', 'created_at'])
    .where('member_id', '=', memberId)
    .where('provider_id', '!=', 'credential')
    .execute();
  return new Map(rows.map((row) => [row.provider_id, row.created_at]));
}

/** Returns false if the account is already linked to a member. */
export async function insertProviderAccount(
  tx: Tx,
  { providerId, memberId, subject }: { providerId: string; memberId: number; subject: string },
): Promise<boolean> {
  const inserted = await tx
    .insertInto('account')
    .values({ provider_id: providerId, member_id: memberId, account_id: subject, password: null })
    .onConflict((conflict) => conflict.columns(['provider_id', 'account_id']).doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

export async function deleteProviderAccount(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('account').where('id', '=', id).execute();
}
