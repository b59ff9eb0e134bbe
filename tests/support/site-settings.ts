import { changeSetting } from '#server/admin/settings.ts';
import type { Database } from '#server/core/database.ts';
import type { SettingName, SettingValues } from '#shared/core/setting-catalogue.ts';

/** Changes a site setting as the command line does. */
export async function setSiteSetting<Name extends SettingName>(
  db: Database,
  name: Name,
  value: SettingValues[Name],
): Promise<void> {
  await changeSetting(db, { adminId: null, name, value });
}
