import { t } from '@lingui/core/macro';
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import type { SiteSetting } from '#shared/admin/settings.ts';
import { siteStyleId } from '#shared/core/protocol.ts';
import type { SettingCategory } from '#shared/core/settings/setting-definition.ts';
import { buildSiteStyle } from '#shared/core/site-style.ts';
import { api, readJson } from '#web/core/api.ts';
import { sessionQuery } from '#web/core/session.ts';

export const siteSettingsQuery = queryOptions({
  queryKey: ['admin', 'settings'],
  queryFn: async ({ signal }): Promise<SiteSetting[]> =>
    (await readJson(api.admin.settings.$get({}, { init: { signal } }))).items,
  staleTime: 0,
});

/** Stores the value on all nodes. This page shows a new look at once; others get it when they are loaded again. */
export async function saveSetting(
  client: QueryClient,
  { name, value }: Pick<SiteSetting, 'name' | 'value'>,
): Promise<void> {
  await readJson(api.admin.settings[':name'].$put({ param: { name }, json: { value } }));
  await updateSettings(client);
}

/** Reads the settings again after a change. */
export async function updateSettings(client: QueryClient): Promise<void> {
  await client.invalidateQueries({ queryKey: siteSettingsQuery.queryKey });
  void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  await updateSiteStyle(client);
}

let ownStyle: CSSStyleSheet | undefined;

/** Replaces the style sheet of the site that came with the page. */
async function updateSiteStyle(client: QueryClient): Promise<void> {
  const settings = await client.ensureQueryData(siteSettingsQuery);
  const find = (wanted: string) => settings.find(({ name }) => name === wanted)?.value;
  const cssVariables = find('cssVariables');
  const style = document.querySelector<HTMLStyleElement>(`#${siteStyleId}`);
  if (style?.sheet) style.sheet.disabled = true;
  if (ownStyle === undefined) document.adoptedStyleSheets.push((ownStyle = new CSSStyleSheet()));
  ownStyle.replaceSync(
    buildSiteStyle({
      accentColor: String(find('accentColor')),
      cssVariables: Array.isArray(cssVariables) ? cssVariables.map(String) : [],
    }),
  );
}

export const categoryLabels: Readonly<Record<SettingCategory, () => string>> = {
  general: () => t`General`,
  appearance: () => t`Appearance`,
  pages: () => t`Pages and links`,
  access: () => t`Access`,
  posts: () => t`Posts`,
  moderation: () => t`Moderation`,
};
