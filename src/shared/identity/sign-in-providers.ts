import { z } from 'zod';
import { withCode } from '#shared/core/coded-error.ts';
import { settingCatalogue, type SettingValues } from '#shared/core/setting-catalogue.ts';
import { time } from '#shared/core/fields.ts';
import { invitationToken } from './invitations.ts';
import { environmentProviderId } from './provider-addresses.ts';
import { emailVisibilities } from './profiles.ts';
import { signUpAnswers, signUpQuestion } from './sign-up-questions.ts';
import { signInState } from './two-factor.ts';
import { hasControlCharacters } from '#shared/core/text.ts';

/** The available sign-in methods. */
export const joiningOptions = Object.keys(settingCatalogue.joining.options) as SettingValues['joining'][];

/**
 * The id of a provider, which is part of its redirect address. Patterns of the API have no flag u, because the OpenAPI
 * document would show it as a part of the pattern.
 */
export const signInProviderId = z
  .string()
  .regex(/^[a-z\d](?:-?[a-z\d]){0,31}$/, withCode('sign-in-provider-id-not-valid'));
export const signInProviderParam = z.object({ id: signInProviderId });

/** A provider as members see it. */
const namedProvider = z.object({ id: z.string(), name: z.string() });
export type NamedProvider = z.infer<typeof namedProvider>;

export const signInMethods = z.object({
  /** The identity providers, in the order of their buttons. */
  providers: z.array(namedProvider),
  /** Whether members sign in with an address and a password. */
  passwordSignIn: z.boolean(),
  /** Whether profiles show email addresses: by default, only if the member chooses it, or never. */
  emailVisibility: z.enum(emailVisibilities),
  /** Who may join. */
  joining: z.enum(joiningOptions),
  /** What people answer when they register. */
  signUpQuestions: z.array(signUpQuestion),
});

const localPath = z
  .string()
  .max(2000)
  .refine((text) => !hasControlCharacters(text), withCode('characters-not-allowed'));

/** `next`: the page to open after signing in. `invitation`: the token of an invitation, for a new member. */
export const providerSignInRequest = z.object({
  provider: signInProviderId,
  next: localPath.optional(),
  invitation: invitationToken.optional(),
});
export type ProviderSignInRequest = z.infer<typeof providerSignInRequest>;

/** The URL to send the browser to. */
export const providerRedirect = z.object({ url: z.string() });

/** The address that the provider sent the browser to: its query, and the provider that its path names. */
export const providerCallback = z.object({
  query: z.string().max(8000),
  provider: signInProviderId.default(environmentProviderId),
});
export type ProviderCallback = z.input<typeof providerCallback>;

export const providerSignInResult = signInState.extend({
  /** Whether the account was linked to the signed-in member. */
  linked: z.boolean(),
  /** The address of a member here, whose password is needed to prove that it is the same person. Otherwise null. */
  email: z.string().nullable(),
  next: z.string().nullable(),
});
export type ProviderSignInResult = z.infer<typeof providerSignInResult>;

/** The answers of a new member, before the account is created. */
export const providerRegistration = z.object({ signUpAnswers });

export const providerLinkRequest = z.object({ password: z.string().max(1000) });

/** The viewer's account at a provider. */
export const ownProviderAccount = z.object({
  provider: namedProvider,
  /** When the account was linked; null if it is not. */
  since: time.nullable(),
  /** Whether members can sign in with the provider now. */
  isEnabled: z.boolean(),
});
export type OwnProviderAccount = z.infer<typeof ownProviderAccount>;
export const ownProviderAccounts = z.object({ items: z.array(ownProviderAccount) });
