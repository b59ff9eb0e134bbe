import { sql } from 'kysely';
import type { Reader, Tx } from '#server/core/database.ts';
import type { SettingName } from '#shared/core/setting-catalogue.ts';
import type { SettingValue } from '#shared/core/settings/setting-definition.ts';

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

export type StoredPictureFile = { file: string; content: Uint8Array };

/** Stores the files of a logo or an icon. The same picture is stored once. */
export async function insertSitePictureFiles(
  tx: Tx,
  { picture, files }: { picture: string; files: readonly StoredPictureFile[] },
): Promise<void> {
  await sql`
    insert into site_picture_file (picture, file, content)
    select ${picture}, * from unnest(
      ${files.map(({ file }) => file)}::text[], ${files.map(({ content }) => Buffer.from(content))}::bytea[]
    )
    on conflict do nothing`.execute(tx);
}

export async function hasSitePicture(tx: Tx, picture: string): Promise<boolean> {
  const { rows } = await sql`
    select from site_picture_file where picture = ${picture} limit 1`.execute(tx);
  return rows.length > 0;
}

export async function readSitePictureFile(
  db: Reader,
  { picture, file }: { picture: string; file: string },
): Promise<Buffer | undefined> {
  const { rows } = await sql<{ content: Buffer }>`
    select content from site_picture_file where picture = ${picture} and file = ${file}`.execute(db);
  return rows[0]?.content;
}
