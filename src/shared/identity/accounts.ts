import { z } from 'zod';
import { avatar, id, time } from '#shared/core/fields.ts';
import { codedError, readIssue, withCode } from '#shared/core/coded-error.ts';
import type { CodedError, ErrorCode } from '#shared/errors.ts';
import { limits } from '#shared/core/limits.ts';
import { ownAccount } from './applications.ts';
import { invitationToken } from './invitations.ts';
import { roleNames } from './roles.ts';
import { signUpAnswers } from './sign-up-questions.ts';
import { isDeceptiveName, normalizeName } from './display-names.ts';
import { countCodePoints, hasControlCharacters } from '#shared/core/text.ts';
import { sitePageNames } from '#shared/core/site-page-names.ts';
import { footerLink } from '#shared/core/site-pages.ts';

/** Compared without case and stored trimmed (docs/product.md 2.2). */
export const email = z
  .string(withCode('email-not-valid'))
  .trim()
  .toLowerCase()
  .max(limits.email, withCode('email-not-valid'))
  .pipe(z.email(withCode('email-not-valid')));

/** A display name that exists: it can be imported, or older than the present rules. */
export const existingDisplayName = z
  .string()
  .overwrite(normalizeName)
  .refine(
    (name) => countCodePoints(name) >= limits.displayNameMin,
    withCode('name-too-short', { min: limits.displayNameMin }),
  )
  .refine(
    (name) => countCodePoints(name) <= limits.displayNameMax,
    withCode('name-too-long', { max: limits.displayNameMax }),
  )
  .refine((name) => !hasControlCharacters(name), withCode('name-characters-not-allowed'));

/** A display name chosen now. The server also refuses names that imitate a moderator. */
export const displayName = existingDisplayName.refine(
  (name) => !isDeceptiveName(name),
  withCode('name-characters-not-allowed'),
);

export const registration = z.object({
  displayName: z.string(),
  email: z.string(),
  password: z.string(),
  /** Optional for programs; if present, it must equal the password. */
  confirmPassword: z.string().optional(),
  /** Whether the profile shows the address to signed-in members; absent: the default of the site. */
  showEmail: z.boolean().optional(),
  /** The token of an invitation. */
  invitation: invitationToken.optional(),
  /** Answers to the questions of `GET /api/sign-in`. */
  signUpAnswers: signUpAnswers.optional(),
});
export type Registration = z.infer<typeof registration>;

export type RegistrationProblem = {
  field: Exclude<keyof Registration, 'showEmail' | 'invitation' | 'signUpAnswers'>;
} & CodedError;

/** Returns the first rule that a registration breaks, in the order of docs/product.md 2.1; null if none. */
export function findRegistrationProblem(form: Registration): RegistrationProblem | null {
  if (form.confirmPassword !== undefined && form.confirmPassword !== form.password)
    return { field: 'confirmPassword', ...codedError('passwords-differ') };
  const length = countCodePoints(form.password);
  if (length < limits.passwordMin)
    return { field: 'password', ...codedError('password-too-short', { min: limits.passwordMin }) };
  if (length > limits.passwordMax)
    return { field: 'password', ...codedError('password-too-long', { max: limits.passwordMax }) };
  const [nameIssue] = displayName.safeParse(form.displayName).error?.issues ?? [];
  if (nameIssue !== undefined) return { field: 'displayName', ...readIssue(nameIssue) };
  const [emailIssue] = email.safeParse(form.email).error?.issues ?? [];
  if (emailIssue !== undefined) return { field: 'email', ...readIssue(emailIssue) };
  return null;
}

export const credentials = z.object({ email: z.string(), password: z.string().max(1000) });
export type Credentials = z.infer<typeof credentials>;

export const role = z.enum(roleNames);

/** How a session began: by registering, or the last step of a sign-in. */
export const signInMethod = z.enum(['registration', 'password', 'two_factor', 'passkey', 'provider']);
export type SignInMethod = z.infer<typeof signInMethod>;

/** What a new account must wait for before it can post, if many registered from its network (docs/product.md 17.3). */
export const pendingStep = z.enum(['confirmation', 'moderator']);
export type PendingStep = z.infer<typeof pendingStep>;
export const pendingStepErrors = {
  confirmation: 'email-not-confirmed',
  moderator: 'account-not-approved',
} as const satisfies Record<PendingStep, ErrorCode>;

/** The signed-in member's own data. */
export const me = z.object({
  id,
  displayName: z.string(),
  avatar,
  email: z.string(),
  bio: z.string().nullable(),
  createdAt: time,
  updatedAt: time,
  reputation: z.int().nonnegative(),
  questionsCount: z.int().nonnegative(),
  answersCount: z.int().nonnegative(),
  role,
  /** While suspended, the member can read but not write. */
  suspended: z.object({ until: time, reason: z.string() }).nullable(),
  /** What the account waits for before it can post; null for nothing. */
  pendingStep: pendingStep.nullable(),
  /** Number of messages from moderators that the member has not marked as seen; 100 means 100 or more. */
  unreadModeratorMessages: z.int().nonnegative(),
  /** Number of the member's hidden posts; 100 means 100 or more. */
  hiddenPosts: z.int().nonnegative(),
});
export type Me = z.infer<typeof me>;

/**
 * `member` is null for a signed-out visitor, and for someone who is signed in but not a member yet. `account` is then
 * the account, and absent otherwise.
 */
export const sessionState = z.object({ member: me.nullable(), account: ownAccount.optional() });
export type SessionState = z.infer<typeof sessionState>;

/**
 * The session and the settings of the site that the web app needs. `publicReading`: visitors may read. `formulas`: posts
 * show formulas. `siteName`: the name of the community. `pages`: those that have a text. `welcomeText`: Markdown, empty
 * for members.
 */
export const currentSession = sessionState.extend({
  publicReading: z.boolean(),
  formulas: z.boolean(),
  siteName: z.string(),
  /** The picture in the top bar (shared/core/site-pictures.ts); empty: none. */
  logo: z.string(),
  pages: z.array(z.enum(sitePageNames)),
  footerLinks: z.array(footerLink),
  welcomeText: z.string(),
});

/** A session of the member in a browser or program. */
export const ownSession = z.object({
  id,
  createdAt: time,
  /** Time of the last use, accurate to an hour. */
  lastUsedAt: time,
  expiresAt: time,
  userAgent: z.string().nullable(),
  /** Whether it is the session of this request. */
  current: z.boolean(),
});
export type OwnSession = z.infer<typeof ownSession>;

export const ownSessions = z.object({ items: z.array(ownSession) });

/** Security events of an account. Each is emailed to the member and logged (docs/product.md 2.11). */
export const securityEvent = z.enum([
  'password-changed',
  'password-reset',
  'email-changed',
  'email-reverted',
  'sessions-ended',
  'data-exported',
  'account-deleted',
  'two-factor-on',
  'two-factor-off',
  'recovery-codes-created',
  'recovery-code-used',
  'passkey-added',
  'passkey-removed',
  'provider-linked',
  'provider-unlinked',
  'account-merged',
  'role-changed',
  'admin-added',
  'api-token-created',
]);

/** What happens to a member's posts on account deletion: they stay under another name, or are deleted. */
export const postsAfterDeletion = z.enum(['keep', 'delete']);
export type PostsAfterDeletion = z.infer<typeof postsAfterDeletion>;

export const accountDeletion = z.object({ password: z.string().max(1000), posts: postsAfterDeletion });
export type AccountDeletion = z.infer<typeof accountDeletion>;
