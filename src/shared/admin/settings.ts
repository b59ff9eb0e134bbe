import { z } from 'zod';
import { id, time } from '#shared/core/fields.ts';

export const settingValue = z.union([z.boolean(), z.number(), z.string(), z.array(z.string()).readonly()]);

/** A site setting with its value and with what it accepts, from the catalogue of settings. */
export const siteSetting = z.object({
  name: z.string(),
  category: z.string(),
  label: z.string(),
  description: z.string(),
  type: z.enum(['boolean', 'integer', 'text', 'markdown', 'choice', 'list', 'picture']),
  value: settingValue,
  default: settingValue,
  /** Limits of numbers; of texts and of each line of a list, in characters. */
  min: z.int().optional(),
  max: z.int().optional(),
  maxItems: z.int().optional(),
  format: z.string().optional(),
  /** The values of a choice with their English labels. */
  options: z.record(z.string(), z.string()).optional(),
  /** Null if the setting was never changed. */
  changedAt: time.nullable(),
});
export type SiteSetting = z.infer<typeof siteSetting>;
export const siteSettings = z.object({ items: z.array(siteSetting) });

/** The value of the setting `logo` or `icon`. */
export const sitePicture = z.object({ value: z.string() });

/** The new value; what it may be depends on the setting. */
export const settingDraft = z.object({ value: settingValue });
/** The entry of the moderation log with the change that is undone. */
export const settingUndo = z.object({ entryId: id });
