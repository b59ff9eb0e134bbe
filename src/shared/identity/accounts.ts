import { z } from 'zod';
import { id, time } from '#shared/core/fields.ts';
import { limits } from '#shared/core/limits.ts';
import { isDeceptiveName, normalizeName } from './display-names.ts';
import { countCodePoints, hasControlCharacters } from '#shared/core/text.ts';

/** Messages of docs/product.md 2 and 16.5; shown word for word. */
export const accountMessages = {
  emailTaken: 'This email is already registered. Please try logging in instead.',
  weakPassword: 'Password is too weak. Please use at least 6 characters.',
  invalidEmail: 'Please enter a valid email address.',
  signUpDisabled: 'Email/password authentication is not enabled. Please contact support.',
  registerFailed: 'Failed to create account. Please check your internet connection and try again.',
  unknownEmail: 'No account found with this email address.',
  wrongPassword: 'Incorrect password. Please try again.',
  tooManyLogins: 'Too many failed login attempts. Please try again later.',
  commonPassword: 'Many people use this password, so it is guessed first. Please choose another one.',
  loginFailed: 'Failed to log in. Please check your credentials and try again.',
  askSignedOut: 'Please log in to ask a question',
} as const;

/** The validation messages of docs/product.md 2.1, in the order they are checked. */
export const registerMessages = {
  passwordsDiffer: 'Passwords do not match',
  passwordShort: `Password must be at least ${limits.passwordMin} characters`,
  passwordLong: `Password can have up to ${limits.passwordMax} characters`,
  nameShort: `Name must be at least ${limits.displayNameMin} characters`,
  nameLong: `Name can have up to ${limits.displayNameMax} characters`,
  nameCharacters: 'Name contains characters that cannot be shown',
  nameTooSimilar: 'This name is too similar to that of a moderator. Please choose another one.',
} as const;

/** Compared without case and stored trimmed (docs/product.md 2.2). */
export const email = z
  .string({ error: accountMessages.invalidEmail })
  .trim()
  .toLowerCase()
  .max(limits.email, accountMessages.invalidEmail)
  .pipe(z.email(accountMessages.invalidEmail));

/** A name as it may stand here already: an imported one, or one from before there were more rules. */
export const existingDisplayName = z
  .string({ error: registerMessages.nameShort })
  .overwrite(normalizeName)
  .refine((name) => countCodePoints(name) >= limits.displayNameMin, registerMessages.nameShort)
  .refine((name) => countCodePoints(name) <= limits.displayNameMax, registerMessages.nameLong)
  .refine((name) => !hasControlCharacters(name), registerMessages.nameCharacters);

/** A name that somebody chooses now; the server refuses those that imitate a moderator as well. */
export const displayName = existingDisplayName.refine(
  (name) => !isDeceptiveName(name),
  registerMessages.nameCharacters,
);

export const registration = z.object({
  displayName: z.string(),
  email: z.string(),
  password: z.string(),
  /** Optional for programs; where present it must equal the password. */
  confirmPassword: z.string().optional(),
  /** Whether the profile shows the address to signed-in members; absent: as the site has it. */
  showEmail: z.boolean().optional(),
});
export type Registration = z.infer<typeof registration>;

export type RegistrationProblem = { field: Exclude<keyof Registration, 'showEmail'>; message: string };

/** The first rule a registration breaks, in the order of docs/product.md 2.1; null when it breaks none. */
export function findRegistrationProblem(form: Registration): RegistrationProblem | null {
  if (form.confirmPassword !== undefined && form.confirmPassword !== form.password)
    return { field: 'confirmPassword', message: registerMessages.passwordsDiffer };
  const length = countCodePoints(form.password);
  if (length < limits.passwordMin) return { field: 'password', message: registerMessages.passwordShort };
  if (length > limits.passwordMax) return { field: 'password', message: registerMessages.passwordLong };
  const name = displayName.safeParse(form.displayName);
  if (!name.success) return { field: 'displayName', message: firstMessage(name.error) };
  const address = email.safeParse(form.email);
  if (!address.success) return { field: 'email', message: firstMessage(address.error) };
  return null;
}

export const credentials = z.object({ email: z.string(), password: z.string().max(1000) });
export type Credentials = z.infer<typeof credentials>;

/** Operators take care of the community; the command line makes them. */
export const role = z.enum(['member', 'operator']);
export type Role = z.infer<typeof role>;

/** What a new account waits for before it can post, where many registered from its network. */
export const pendingStep = z.enum(['confirmation', 'moderator']);
export type PendingStep = z.infer<typeof pendingStep>;
export const pendingMessages: Readonly<Record<PendingStep, string>> = {
  confirmation:
    'Confirm your email address before you post: open the link in the email we sent you. You can get another one in Settings.',
  moderator: 'A moderator has to approve your account before you can post.',
};

/** The signed-in member as they see themselves. */
export const me = z.object({
  id,
  displayName: z.string(),
  email: z.string(),
  bio: z.string().nullable(),
  createdAt: time,
  updatedAt: time,
  reputation: z.int().nonnegative(),
  questionsCount: z.int().nonnegative(),
  answersCount: z.int().nonnegative(),
  role,
  /** While it lasts, the member reads and does not write. */
  suspended: z.object({ until: time, reason: z.string() }).nullable(),
  /** What the account waits for before it can post; null: nothing. */
  pendingStep: pendingStep.nullable(),
  /** How much the operators told the member that they have not seen yet; 100 for all above. */
  unreadModeratorMessages: z.int().nonnegative(),
  /** How many of the member's posts are hidden from others; 100 for all above. */
  hiddenPosts: z.int().nonnegative(),
});
export type Me = z.infer<typeof me>;

/** `member` is null for a visitor who is signed out. */
export const sessionState = z.object({ member: me.nullable() });
export type SessionState = z.infer<typeof sessionState>;

/** One browser or program a member is signed in with. */
export const ownSession = z.object({
  id,
  createdAt: time,
  /** When it was last used, to within an hour. */
  lastUsedAt: time,
  expiresAt: time,
  userAgent: z.string().nullable(),
  /** The one that made this request. */
  current: z.boolean(),
});
export type OwnSession = z.infer<typeof ownSession>;

export const ownSessions = z.object({ items: z.array(ownSession) });

function firstMessage(error: z.ZodError): string {
  return error.issues[0]?.message ?? accountMessages.registerFailed;
}

/** What can happen to the safety of an account. Each is told to its member and to the log. */
export const securityEvent = z.enum([
  'password-changed',
  'password-reset',
  'address-changed',
  'address-returned',
  'sessions-ended',
  'data-downloaded',
  'account-deleted',
  'two-factor-on',
  'two-factor-off',
  'recovery-codes-made',
  'recovery-code-used',
  'passkey-added',
  'passkey-removed',
  'sign-in-linked',
  'sign-in-unlinked',
]);

/** What becomes of what a member wrote when they leave: it stays under another name, or it is deleted. */
export const postsAfterDeletion = z.enum(['stay', 'go']);
export type PostsAfterDeletion = z.infer<typeof postsAfterDeletion>;

export const accountDeletion = z.object({ password: z.string().max(1000), posts: postsAfterDeletion });
export type AccountDeletion = z.infer<typeof accountDeletion>;
