import { z } from 'zod';
import { withCode } from '#shared/core/coded-error.ts';
import { id, singleLine, time } from '#shared/core/fields.ts';
import { limits } from '#shared/core/limits.ts';
import { reauthentication } from '#shared/identity/two-factor.ts';

/**
 * What a token allows. Each endpoint needs one scope (src/server/integrations/api-token-scopes.ts):
 * - read: questions, answers, lists, search and profiles, as the member sees them
 * - drafts: write drafts, which the member reviews and posts in the browser
 * - write: ask, answer, reply, edit and delete own posts, and upload pictures
 * - lists: votes, follows, bookmarks and mutes
 * - notifications: read them and mark them as read
 * - moderation: what the member may do as a moderator
 */
export const apiScope = z.enum(['read', 'drafts', 'write', 'lists', 'notifications', 'moderation']);
export type ApiScope = z.infer<typeof apiScope>;

/** Days for which a token can be valid. */
export const apiTokenDays = { min: 1, max: 365 } as const;

/** A token that no program has used for this many days is deleted. */
export const unusedApiTokenDays = 180;

export const apiTokenDraft = reauthentication.extend({
  name: singleLine({
    max: limits.apiTokenName,
    required: 'api-token-name-required',
    tooLong: 'api-token-name-too-long',
  }),
  scopes: z
    .array(apiScope)
    .min(1, withCode('api-token-scope-required'))
    .max(apiScope.options.length)
    .transform((scopes) => [...new Set(scopes)]),
  expiresInDays: z
    .int(withCode('setting-not-number'))
    .min(apiTokenDays.min, withCode('setting-not-in-range', apiTokenDays))
    .max(apiTokenDays.max, withCode('setting-not-in-range', apiTokenDays)),
});
export type ApiTokenDraft = z.infer<typeof apiTokenDraft>;

export const apiToken = z.object({
  id,
  name: z.string(),
  scopes: z.array(apiScope),
  createdAt: time,
  expiresAt: time,
  /** To the minute; null if no program has used it. */
  lastUsedAt: time.nullable(),
});
export type ApiToken = z.infer<typeof apiToken>;

/** Newest first. `enabled`: whether the community allows API tokens. */
export const apiTokens = z.object({ items: z.array(apiToken), enabled: z.boolean() });

/** The token itself is in this response only. */
export const createdApiToken = apiToken.extend({ token: z.string() });
