import { answerCard } from '#shared/posts/cards.ts';
import { z } from 'zod';
import { existingDisplayName } from './accounts.ts';
import { isDeceptiveName, normalizeName } from './display-names.ts';
import { importedBadges } from './imported-badges.ts';
import { avatar, id, paged, time } from '#shared/core/fields.ts';
import { withCode } from '#shared/core/coded-error.ts';
import { limits } from '#shared/core/limits.ts';
import { countCodePoints, hasForbiddenCharacters } from '#shared/core/text.ts';

/** Whether profiles show email addresses: by default, only if the member chooses it, or never. */
export const emailVisibilities = ['shown', 'hidden', 'never'] as const;
export type EmailVisibility = (typeof emailVisibilities)[number];

export const profile = z.object({
  id,
  displayName: z.string(),
  avatar,
  /** Whether it is a service account, with which a program writes. */
  isBot: z.boolean(),
  /** Null if the member hides it or has none. */
  email: z.string().nullable(),
  /** Why the address is missing although the member shows it: the viewer has viewed too many. Otherwise null. */
  emailWithheld: z.union([z.literal('too-many'), z.null()]),
  bio: z.string().nullable(),
  location: z.string().nullable(),
  /** An address with http or https; links to it get `rel="ugc nofollow"`. */
  website: z.string().nullable(),
  createdAt: time,
  reputation: z.int().nonnegative(),
  questionsCount: z.int().nonnegative(),
  answersCount: z.int().nonnegative(),
  /** Upvotes on all posts of the member. */
  upvotes: z.int().nonnegative(),
  /** Views of the member's questions. */
  views: z.int().nonnegative(),
  /** URL of an imported member's account on its site; null for members of this community. */
  sourceUrl: z.string().nullable(),
  /** Badges on the sites of imported profiles that are the member's, by site. */
  importedBadges: z.array(importedBadges),
});
export type Profile = z.infer<typeof profile>;

export const answerCards = paged(answerCard);
export type AnswerCards = z.infer<typeof answerCards>;

/** The profile settings of a member. */
export const memberSettings = z.object({
  displayName: existingDisplayName,
  bio: z
    .string()
    .trim()
    .refine((text) => countCodePoints(text) <= limits.bio, withCode('bio-too-long', { max: limits.bio }))
    .refine((text) => !hasForbiddenCharacters(text), withCode('characters-not-allowed'))
    .nullable(),
  location: z
    .string()
    .overwrite(normalizeName)
    .refine(
      (text) => countCodePoints(text) <= limits.location,
      withCode('location-too-long', { max: limits.location }),
    )
    .refine((text) => text === '' || !isDeceptiveName(text), withCode('characters-not-allowed'))
    .nullable(),
  /** The server also refuses what is not an address with http or https. */
  website: z
    .string()
    .trim()
    .max(limits.website, withCode('website-not-valid', { max: limits.website }))
    .nullable(),
  showEmail: z.boolean(),
});
export type MemberSettings = z.infer<typeof memberSettings>;

/** Location and website stay as they are if they are absent. */
export const settingsChange = memberSettings.partial({ location: true, website: true });
export type SettingsChange = z.infer<typeof settingsChange>;

export const passwordChange = z.object({
  currentPassword: z.string().max(1000),
  newPassword: z
    .string()
    .refine(
      (text) => countCodePoints(text) >= limits.passwordMin,
      withCode('password-too-short', { min: limits.passwordMin }),
    )
    .refine(
      (text) => countCodePoints(text) <= limits.passwordMax,
      withCode('password-too-long', { max: limits.passwordMax }),
    ),
});
export type PasswordChange = z.infer<typeof passwordChange>;
