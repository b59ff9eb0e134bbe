import { answerCard } from '#shared/posts/cards.ts';
import { z } from 'zod';
import { existingDisplayName, registerMessages } from './accounts.ts';
import { id, paged, time } from '#shared/core/fields.ts';
import { limits } from '#shared/core/limits.ts';
import { countCodePoints, hasForbiddenCharacters } from '#shared/core/text.ts';

/** Whether profiles show addresses: where members do not say otherwise, only where they say so, or never. */
export const emailVisibilities = ['shown', 'hidden', 'never'] as const;
export type EmailVisibility = (typeof emailVisibilities)[number];

export const profile = z.object({
  id,
  displayName: z.string(),
  /** Null where the member keeps it to themselves, or has none. */
  email: z.string().nullable(),
  /** Why the address is not shown although the member shows it: the viewer opened too many. Null elsewhere. */
  emailWithheld: z.union([z.literal('too-many'), z.null()]),
  bio: z.string().nullable(),
  createdAt: time,
  reputation: z.int().nonnegative(),
  questionsCount: z.int().nonnegative(),
  answersCount: z.int().nonnegative(),
  /** Upvotes on all that the member wrote. */
  upvotes: z.int().nonnegative(),
  /** Views of the member's questions. */
  views: z.int().nonnegative(),
  /** Where an imported member's account stands; null for members of this community. */
  sourceUrl: z.string().nullable(),
});
export type Profile = z.infer<typeof profile>;

export const answerCards = paged(answerCard);
export type AnswerCards = z.infer<typeof answerCards>;

/** What members decide about themselves. */
export const memberSettings = z.object({
  displayName: existingDisplayName,
  bio: z
    .string()
    .trim()
    .refine((text) => countCodePoints(text) <= limits.bio, `Your bio can have up to ${limits.bio} characters`)
    .refine((text) => !hasForbiddenCharacters(text), 'The text contains characters that cannot be shown')
    .nullable(),
  showEmail: z.boolean(),
});
export type MemberSettings = z.infer<typeof memberSettings>;

export const passwordChange = z.object({
  currentPassword: z.string().max(1000),
  newPassword: z
    .string()
    .refine((text) => countCodePoints(text) >= limits.passwordMin, registerMessages.passwordShort)
    .refine((text) => countCodePoints(text) <= limits.passwordMax, registerMessages.passwordLong),
});
export type PasswordChange = z.infer<typeof passwordChange>;
