import { z } from 'zod';
import { withCode } from '#shared/core/coded-error.ts';
import { id, idParam, time } from '#shared/core/fields.ts';
import { limits } from '#shared/core/limits.ts';
import { countCodePoints, hasForbiddenCharacters } from '#shared/core/text.ts';
import { displayName, postsAfterDeletion } from '#shared/identity/accounts.ts';
import { reauthentication } from '#shared/identity/two-factor.ts';
import { apiScope, apiToken, apiTokenDraft } from './api-tokens.ts';

/** The values that an admin can set for a service account, and those of a new one. */
export const serviceAccountLimits = {
  requestsPerMinute: { min: 1, max: 1_800, default: 300 },
  /** Questions, answers and replies together. */
  postsPerHour: { min: 1, max: 360, default: 30 },
} as const;

const numberIn = ({ min, max }: { min: number; max: number }) =>
  z
    .int(withCode('setting-not-number'))
    .min(min, withCode('setting-not-in-range', { min, max }))
    .max(max, withCode('setting-not-in-range', { min, max }));

export const serviceAccountDraft = z.object({
  displayName,
  /** What the program does, shown on the profile. */
  bio: z
    .string()
    .trim()
    .refine((text) => countCodePoints(text) <= limits.bio, withCode('bio-too-long', { max: limits.bio }))
    .refine((text) => !hasForbiddenCharacters(text), withCode('characters-not-allowed')),
  requestsPerMinute: numberIn(serviceAccountLimits.requestsPerMinute),
  postsPerHour: numberIn(serviceAccountLimits.postsPerHour),
});
export type ServiceAccountDraft = z.infer<typeof serviceAccountDraft>;

export const serviceAccountState = z.object({ active: z.boolean() });

/** The scopes of tokens of service accounts. They are never moderators, and cannot sign in to post their drafts. */
export const serviceAccountScope = apiScope.exclude(['moderation', 'drafts']);

export const serviceAccountTokenDraft = apiTokenDraft.extend({
  scopes: z
    .array(serviceAccountScope)
    .min(1, withCode('api-token-scope-required'))
    .max(serviceAccountScope.options.length)
    .transform((scopes) => [...new Set(scopes)]),
});
export type ServiceAccountTokenDraft = z.infer<typeof serviceAccountTokenDraft>;

export const serviceAccountTokenParam = idParam.extend({ tokenId: idParam.shape.id });

/** What happens to the posts, and the password of the admin. */
export const serviceAccountDeletion = reauthentication.extend({ posts: postsAfterDeletion });
export type ServiceAccountDeletion = z.infer<typeof serviceAccountDeletion>;

/** An account with which a program uses the API, for admins. */
export const serviceAccount = z.object({
  id,
  displayName: z.string(),
  bio: z.string(),
  /** While it is not active, its tokens are refused. */
  active: z.boolean(),
  requestsPerMinute: z.int(),
  postsPerHour: z.int(),
  createdAt: time,
  questionsCount: z.int().nonnegative(),
  answersCount: z.int().nonnegative(),
  /** Newest first. */
  tokens: z.array(apiToken),
});
export type ServiceAccount = z.infer<typeof serviceAccount>;

/** `tokensEnabled`: whether the community allows API tokens. */
export const serviceAccounts = z.object({ items: z.array(serviceAccount), tokensEnabled: z.boolean() });
export type ServiceAccounts = z.infer<typeof serviceAccounts>;
