import { sql } from 'kysely';
import type { Reader, Tx } from '#server/core/database.ts';
import type { SettingName, SettingValue } from '#shared/core/setting-catalogue.ts';

/** Locks the setting against other changes until the end of the transaction; it may have no row yet. */
export async function lockSetting(tx: Tx, name: SettingName): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`site_setting:${name}`}, 0))`.execute(tx);
}

export type SettingChange = { name: SettingName; changedAt: Date };

/** When each setting with a stored value was last changed. */
export async function listSettingChanges(db: Reader): Promise<SettingChange[]> {
  const { rows } = await sql<SettingChange>`
    select name, changed_at as "changedAt" from site_setting`.execute(db);
  return rows;
}

export async function findSettingLogEntry(
  tx: Tx,
  id: number,
): Promise<{ subject: string; before: { value: SettingValue }; after: { value: SettingValue } } | undefined> {
  const { rows } = await sql<{
    subject: string;
    before: { value: SettingValue };
    after: { value: SettingValue };
  }>`
    select subject, before, after from moderation_log where id = ${id} and action = 'setting'`.execute(tx);
  return rows[0];
}
