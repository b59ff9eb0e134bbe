import { t } from '@lingui/core/macro';
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import type { SiteSetting } from '#shared/admin/settings.ts';
import type { SettingCategory } from '#shared/core/setting-catalogue.ts';
import { api, readJson } from '#web/core/api.ts';
import { sessionQuery } from '#web/core/session.ts';

export const siteSettingsQuery = queryOptions({
  queryKey: ['admin', 'settings'],
  queryFn: async ({ signal }): Promise<SiteSetting[]> =>
    (await readJson(api.admin.settings.$get({}, { init: { signal } }))).items,
  staleTime: 0,
});

/** Stores the value on all nodes. */
export async function saveSetting(
  client: QueryClient,
  { name, value }: Pick<SiteSetting, 'name' | 'value'>,
): Promise<void> {
  await readJson(api.admin.settings[':name'].$put({ param: { name }, json: { value } }));
  await client.invalidateQueries({ queryKey: siteSettingsQuery.queryKey });
  void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
}

export const categoryLabels: Readonly<Record<SettingCategory, () => string>> = {
  general: () => t`General`,
  pages: () => t`Pages and links`,
  access: () => t`Access`,
  posts: () => t`Posts`,
  moderation: () => t`Moderation`,
};
