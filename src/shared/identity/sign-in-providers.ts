import { z } from 'zod';
import { time } from '#shared/core/fields.ts';
import { emailVisibilities } from './profiles.ts';
import { signInState } from './two-factor.ts';
import { hasControlCharacters } from '#shared/core/text.ts';

export const providerMessages = {
  unreachable: 'The other site cannot be reached at the moment. Please try again later.',
  refused: 'The other site did not sign you in. Please try again.',
} as const;

export const providerAccountMessages = {
  notConfigured: 'Signing in elsewhere is not set up here.',
  emailNotVerified: 'The other site has not verified your email address. Please verify it there first.',
  signUpDisabled: 'New accounts are not taken at the moment. Please contact support.',
  otherMember: 'That account belongs to another member here.',
  linked: 'Your account is linked already.',
  notLinked: 'Your account is not linked.',
  lastSignInMethod: 'This is your only way to sign in. Set a password or add a passkey first.',
} as const;

/** How one may sign in here. */
export const signInMethods = z.object({
  /** What the identity provider is called; null: there is none. */
  provider: z.string().nullable(),
  /** Whether profiles show email addresses: unless members choose otherwise, only if they choose so, or never. */
  emailVisibility: z.enum(emailVisibilities),
});

const localPath = z
  .string()
  .max(2000)
  .refine((text) => !hasControlCharacters(text), 'The text contains characters that cannot be shown');

/** Where in Parley the member wants to be afterwards. */
export const providerSignInRequest = z.object({ next: localPath.optional() });

/** Where to send the browser to. */
export const providerRedirect = z.object({ url: z.string() });

/** The query of the address that the provider sent the browser to. */
export const providerCallback = z.object({ query: z.string().max(8000) });

export const providerSignInResult = signInState.extend({
  /** Whether the account was linked to the member who is signed in. */
  linked: z.boolean(),
  /** Of a member here who has the address: their password shows that it is the same person. Null elsewhere. */
  email: z.string().nullable(),
  next: z.string().nullable(),
});
export type ProviderSignInResult = z.infer<typeof providerSignInResult>;

export const providerLinkRequest = z.object({ password: z.string().max(1000) });

export const ownProviderAccount = z.object({
  /** What the identity provider is called; null: there is none. */
  provider: z.string().nullable(),
  /** Since when the member's account is linked; null where it is not. */
  since: time.nullable(),
});
export type OwnProviderAccount = z.infer<typeof ownProviderAccount>;
