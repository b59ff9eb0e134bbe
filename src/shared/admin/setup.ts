import { z } from 'zod';
import { registration } from '#shared/identity/accounts.ts';
import { settingCatalogue } from '#shared/core/setting-catalogue.ts';
import { settingSchema } from '#shared/core/settings/setting-schema.ts';

/** `completed`: the community has been set up or has an admin. `isEmpty`: it has no members. */
export const setupState = z.object({ completed: z.boolean(), isEmpty: z.boolean() });

export type SetupState = z.infer<typeof setupState>;

/** The settings that the owner chooses first, as the catalogue of settings checks them. */
export const setupSettings = {
  siteName: settingSchema(settingCatalogue.siteName),
  siteDescription: settingSchema(settingCatalogue.siteDescription),
  language: settingSchema(settingCatalogue.language),
  joining: settingSchema(settingCatalogue.joining),
  publicReading: settingSchema(settingCatalogue.publicReading),
};

export const setupDraft = z.object({
  /** From the link that the server printed at its start. */
  token: z.string().max(200),
  siteName: z.string(),
  siteDescription: z.string(),
  /** The language of the community. */
  language: z.string().default('en'),
  joining: z.string(),
  publicReading: z.boolean(),
  /** The account of the first admin; null for the signed-in member. */
  account: registration.nullable(),
});
export type SetupDraft = z.infer<typeof setupDraft>;
