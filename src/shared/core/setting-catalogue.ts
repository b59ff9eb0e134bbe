import { accessDefinitions } from './settings/access.ts';
import { moderationDefinitions } from './settings/moderation.ts';
import { postDefinitions } from './settings/posts.ts';
import type { SettingDefinition } from './settings/setting-definition.ts';
import { siteDefinitions } from './settings/site.ts';

/**
 * All site settings that admins change while Parley runs (docs/decisions/054, 064). The admin page, the API, `parley
 * settings`, docs/settings.md and validation are made from this catalogue.
 */
export const settingCatalogue = {
  ...siteDefinitions,
  ...accessDefinitions,
  ...postDefinitions,
  ...moderationDefinitions,
} as const satisfies Record<string, SettingDefinition>;

type Catalogue = typeof settingCatalogue;
export type SettingName = keyof Catalogue;
export const settingNames = Object.keys(settingCatalogue) as SettingName[];

type ValueOf<Definition> = Definition extends { type: 'boolean' }
  ? boolean
  : Definition extends { type: 'integer' }
    ? number
    : Definition extends { type: 'choice'; options: infer Options }
      ? keyof Options
      : Definition extends { type: 'list' }
        ? readonly string[]
        : string;

export type SettingValues = { [Name in SettingName]: ValueOf<Catalogue[Name]> };

export function findSetting(name: string): SettingDefinition | undefined {
  return Object.hasOwn(settingCatalogue, name) ? settingCatalogue[name as SettingName] : undefined;
}
