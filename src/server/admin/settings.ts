import { isDeepStrictEqual } from 'node:util';
import { type Database, type Reader, transaction, type Tx } from '#server/core/database.ts';
import { invalidFieldsError, ProblemError } from '#server/core/errors.ts';
import { lockSetting, readSiteSettings, storeSiteSetting } from '#server/core/site-settings.ts';
import type { SignInMethods } from '#server/identity/index.ts';
import { insertLogEntry } from '#server/moderation/index.ts';
import { codedError, readIssue } from '#shared/core/coded-error.ts';
import {
  findSetting,
  settingCatalogue,
  type SettingName,
  settingNames,
} from '#shared/core/setting-catalogue.ts';
import { settingSchema } from '#shared/core/settings/setting-schema.ts';
import type { SettingValue } from '#shared/core/settings/setting-definition.ts';
import type { SiteSetting } from '#shared/admin/settings.ts';
import { findSettingLogEntry, hasSitePicture, listSettingChanges } from './settings-queries.ts';

/** Who changes a setting. `adminId` is null, and `signInMethods` absent, on the command line. */
type SettingChanger = { adminId: number | null; signInMethods?: SignInMethods | undefined };

/** Returns all site settings with their values, in the order of the catalogue. */
export async function listSettings(db: Reader): Promise<SiteSetting[]> {
  const [values, changes] = [await readSiteSettings(db), await listSettingChanges(db)];
  return settingNames.map((name) => ({
    name,
    ...settingCatalogue[name],
    value: values[name],
    changedAt: changes.find((change) => change.name === name)?.changedAt.toISOString() ?? null,
  }));
}

/**
 * Changes a site setting on all nodes, and writes the old and the new value to the moderation log. A value that the
 * setting has already changes nothing.
 * @param adminId null for the command line
 * @throws ProblemError 'not-found' for an unknown name, 'invalid' for a value that the setting cannot have
 */
export async function changeSetting(
  db: Database,
  { adminId, name, value, signInMethods }: SettingChanger & { name: string; value: unknown },
): Promise<void> {
  const definition = findSetting(name);
  if (definition === undefined) throw new ProblemError('setting-not-found');
  const parsed = settingSchema(definition).safeParse(value);
  if (!parsed.success)
    throw invalidFieldsError(parsed.error.issues.map((issue) => ({ field: 'value', ...readIssue(issue) })));
  await transaction(db, async (tx) => {
    await lockSetting(tx, name as SettingName);
    if (
      definition.type === 'picture' &&
      parsed.data !== '' &&
      !(await hasSitePicture(tx, String(parsed.data)))
    )
      throw invalidFieldsError([{ field: 'value', ...codedError('setting-not-picture') }]);
    await requireSignIn(tx, { adminId, signInMethods, name, value: parsed.data });
    await replaceValue(tx, { adminId, name: name as SettingName, value: parsed.data });
  });
}

/**
 * Restores the value that a setting had before a change.
 * @param entryId the entry of the moderation log
 * @throws ProblemError 'not-found'; 'already-handled' if the setting has another value meanwhile
 */
export async function undoSettingChange(
  db: Database,
  { adminId, entryId, signInMethods }: SettingChanger & { entryId: number },
): Promise<void> {
  await transaction(db, async (tx) => {
    const entry = await findSettingLogEntry(tx, entryId);
    const definition = entry && findSetting(entry.subject);
    if (entry === undefined || definition === undefined) throw new ProblemError('setting-not-found');
    const name = entry.subject as SettingName;
    await lockSetting(tx, name);
    const { [name]: current } = await readSiteSettings(tx);
    const before = settingSchema(definition).safeParse(entry.before.value);
    if (!isDeepStrictEqual(current, entry.after.value) || !before.success)
      throw new ProblemError('setting-changed-since');
    await requireSignIn(tx, { adminId, signInMethods, name, value: before.data });
    await replaceValue(tx, { adminId, name, value: before.data });
  });
}

/** An admin who switches passwords off must have another way to sign in. The command line always can. */
async function requireSignIn(
  tx: Tx,
  { adminId, signInMethods, name, value }: SettingChanger & { name: string; value: SettingValue },
): Promise<void> {
  if (name === 'passwordSignIn' && value === false && adminId !== null)
    await signInMethods?.requireOther(tx, adminId);
}

/** Stores a valid value and logs the change, unless the setting has the value already. */
export async function replaceValue(
  tx: Tx,
  { adminId, name, value }: { adminId: number | null; name: SettingName; value: SettingValue },
): Promise<void> {
  const { [name]: before } = await readSiteSettings(tx);
  if (isDeepStrictEqual(before, value)) return;
  await storeSiteSetting(tx, name, value as never);
  await insertLogEntry(tx, {
    moderatorId: adminId,
    action: 'setting',
    reason: '',
    post: null,
    memberId: null,
    subject: name,
    before: { value: before },
    after: { value },
  });
}
