import { z } from 'zod';
import { withCode } from '#shared/core/coded-error.ts';
import { id, singleLine } from '#shared/core/fields.ts';
import { hasControlCharacters } from '#shared/core/text.ts';
import { environmentProviderId, signInProviderLimits } from '#shared/identity/provider-addresses.ts';
import { signInProviderId } from '#shared/identity/sign-in-providers.ts';

const required = 'sign-in-provider-field-required';
const text = singleLine({ max: signInProviderLimits.text, required, tooLong: 'text-too-long' });

/** The address of an issuer: https, or http on the machine of the server, without query. */
const issuer = text
  .refine(
    (url) => z.url().safeParse(url).success && /^https?:\/\/[^\s?#@\\]+$/u.test(url),
    withCode('issuer-not-valid'),
  )
  .refine(
    (url) => !url.startsWith('http:') || /^http:\/\/(127\.0\.0\.1|localhost)(?=[:/]|$)/u.test(url),
    withCode('issuer-not-https'),
  )
  // Everyone can create accounts in a directory of their own, with any address.
  .refine(
    (url) => !/^https:\/\/login\.microsoftonline\.com\/(common|organizations|consumers)(?=\/|$)/iu.test(url),
    withCode('issuer-of-all-tenants'),
  );

const clientSecret = z
  .string()
  .trim()
  .min(1, withCode(required))
  .max(signInProviderLimits.text, withCode('text-too-long', { max: signInProviderLimits.text }))
  .refine((secret) => !hasControlCharacters(secret), withCode('characters-not-allowed'));

const scopes = singleLine({ max: signInProviderLimits.scopes, required, tooLong: 'text-too-long' })
  .transform((list) => list.split(/\s+/u).join(' '))
  .refine((list) => /^[\x21\x23-\x5b\x5d-\x7e ]+$/u.test(list), withCode('characters-not-allowed'))
  .refine((list) => list.split(' ').includes('openid'), withCode('scope-openid-required'));

/** What admins change of a provider. */
const changeable = {
  /** The label in 'Continue with …'. */
  name: singleLine({ max: signInProviderLimits.name, required, tooLong: 'text-too-long' }),
  issuer,
  clientId: text,
  scopes,
  /** Whether addresses count as verified although the provider does not say so. */
  trustsEmail: z.boolean(),
};

/** A new provider. */
export const signInProviderDraft = z.object({
  id: signInProviderId.refine(
    (name) => name !== environmentProviderId,
    withCode('sign-in-provider-id-taken'),
  ),
  ...changeable,
  clientSecret,
});
export type SignInProviderDraft = z.infer<typeof signInProviderDraft>;

/** A change of a provider. Without a secret, the stored one stays; a new issuer needs a new one. */
export const signInProviderChange = z.object({ ...changeable, clientSecret: clientSecret.nullable() });
export type SignInProviderChange = z.infer<typeof signInProviderChange>;

export const signInProviderState = z.object({ enabled: z.boolean() });

/** The ids of all providers that admins added, in the order of their buttons. */
export const signInProviderOrder = z.object({
  ids: z.array(signInProviderId).max(signInProviderLimits.providers),
});

/** A provider as admins see it. The secret is never sent. */
export const signInProvider = z.object({
  id: z.string(),
  name: z.string(),
  issuer: z.string(),
  clientId: z.string(),
  scopes: z.string(),
  trustsEmail: z.boolean(),
  enabled: z.boolean(),
  /** Whether the operator configures it in the environment, so that it cannot be changed here. */
  isFromEnvironment: z.boolean(),
  /** False after a change of SECRET: an admin has to enter the secret of the client again. */
  hasReadableSecret: z.boolean(),
  /** The redirect address to register at the provider. */
  redirectUri: z.string(),
});
export type SignInProvider = z.infer<typeof signInProvider>;

export const signInProviders = z.object({
  items: z.array(signInProvider),
  /** The scheme and host of all redirect addresses. */
  origin: z.string(),
});
export type SignInProviders = z.infer<typeof signInProviders>;

/**
 * How many members have an account at the provider, and how many of them have no other way to sign in, or would have
 * none without it.
 */
export const signInProviderMembers = z.object({
  linked: z.int().nonnegative(),
  withoutOther: z.int().nonnegative(),
});

/** Reads the metadata of an issuer. */
export const issuerCheck = z.object({ issuer });

export const issuerCheckResult = z.object({
  outcome: z.enum([
    'ok',
    /** No connection, or no response in time. */
    'unreachable',
    /** The certificate is not valid. */
    'certificate',
    /** There is no metadata of OpenID Connect at the address. */
    'no-metadata',
    /** The metadata is of another issuer. */
    'other-issuer',
    /** The metadata lacks an endpoint or the authorization code flow. */
    'not-supported',
  ]),
  /** An error code or a status; for 'other-issuer' the issuer of the metadata; empty for 'ok'. */
  detail: z.string(),
});
export type IssuerCheckResult = z.infer<typeof issuerCheckResult>;

/** The entry of the moderation log with the change that is undone. */
export const signInProviderUndo = z.object({ entryId: id });
