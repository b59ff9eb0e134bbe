import { z } from 'zod';
import { time } from '#shared/core/fields.ts';

/** The classes of badges on the sites that profiles are imported from, the most important first. */
export const badgeClasses = ['gold', 'silver', 'bronze'] as const;
export type BadgeClass = (typeof badgeClasses)[number];

const importedBadge = z.object({
  name: z.string(),
  /** Null if the archive does not say. */
  class: z.enum(badgeClasses).nullable(),
  /** How often it was awarded. */
  awards: z.int().positive(),
  firstAt: time,
  lastAt: time,
});
export type ImportedBadge = z.infer<typeof importedBadge>;

/** The badges of a member on one site that was imported. They have no effect here. */
export const importedBadges = z.object({
  site: z.string(),
  /** How many different ones there are; `badges` has the first 100. */
  total: z.int().positive(),
  /** Awards by class. */
  gold: z.int().nonnegative(),
  silver: z.int().nonnegative(),
  bronze: z.int().nonnegative(),
  /** The most important first: by class, then by the number of awards. */
  badges: z.array(importedBadge),
});
export type ImportedBadges = z.infer<typeof importedBadges>;
