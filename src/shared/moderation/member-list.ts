import { z } from 'zod';
import { avatar, cursorQuery, id, time } from '#shared/core/fields.ts';
import { hasControlCharacters } from '#shared/core/text.ts';
import { withCode } from '#shared/core/coded-error.ts';
import { pendingStep, role } from '#shared/identity/accounts.ts';
import { matchedRule } from './spam.ts';

/**
 * Which members a moderator lists. Imported authors have no account and are not listed. `profile_links`: accounts of the
 * latest 30 days without questions and answers whose name or bio has a link,
 * or that have a website, unless they are suspended or removed.
 */
export const memberFilter = z.enum(['all', 'team', 'suspended', 'waiting', 'removed', 'profile_links']);
export type MemberFilter = z.infer<typeof memberFilter>;

export const memberListQuery = z.object({
  /** The beginning of a name; for admins also a whole email address. Empty for all. */
  q: z
    .string()
    .trim()
    .max(200)
    .refine((text) => !hasControlCharacters(text), withCode('characters-not-allowed'))
    .default(''),
  show: memberFilter.default('all'),
  cursor: cursorQuery,
});

/** An account with what a moderator decides by. */
export const listedMember = z.object({
  id,
  displayName: z.string(),
  avatar,
  role,
  registeredAt: time,
  /** When the latest session began that has not ended; null for none. */
  lastSignInAt: time.nullable(),
  reputation: z.int().nonnegative(),
  questions: z.int().nonnegative(),
  answers: z.int().nonnegative(),
  suspendedUntil: time.nullable(),
  pendingStep: pendingStep.nullable(),
  /** Since when emails are off because they came back, and why; for admins, else null. */
  emailsOff: z.object({ since: time, reason: z.string() }).nullable(),
  /** Whether all activity of the account is removed, or is being removed. */
  isRemoved: z.boolean(),
  /** With `profile_links`: the first 500 characters of the bio. */
  bio: z.string().nullable(),
  /** With `profile_links`: the address of the website. */
  website: z.string().nullable(),
  /** With `profile_links`: the spam rules that the name, the bio and the website match. */
  matchedRules: z.array(matchedRule),
});
export type ListedMember = z.infer<typeof listedMember>;

export const memberList = z.object({
  items: z.array(listedMember),
  nextCursor: z.string().nullable(),
  /** Whether more members than listed match the search. Such a list has no next page. */
  hasMore: z.boolean(),
});
export type MemberList = z.infer<typeof memberList>;
