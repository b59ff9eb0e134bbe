import { z } from 'zod';
import { withCode } from '#shared/core/coded-error.ts';
import { id, singleLine, time } from '#shared/core/fields.ts';
import { limits } from '#shared/core/limits.ts';

/** Base64url, as browsers encode bytes in JSON. */
const bytes = z
  .string()
  .max(20_000)
  .regex(/^[\w-]*$/, withCode('passkey-bytes-not-valid'));

const credentialId = bytes.min(1).max(1400);

/** The result of `navigator.credentials.get` (WebAuthn Level 3, section 5.1: AuthenticationResponseJSON). */
export const passkeyAuthenticationResponse = z.object({
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: bytes,
    authenticatorData: bytes,
    signature: bytes,
    userHandle: bytes.nullish(),
  }),
  clientExtensionResults: z.looseObject({}),
  authenticatorAttachment: z.string().max(40).nullish(),
});
export type PasskeyAuthenticationResponse = z.infer<typeof passkeyAuthenticationResponse>;

/** The result of `navigator.credentials.create` (RegistrationResponseJSON). */
export const passkeyRegistrationResponse = z.object({
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: bytes,
    attestationObject: bytes,
    transports: z.array(z.string().max(40)).max(10).nullish(),
  }),
  clientExtensionResults: z.looseObject({}),
  authenticatorAttachment: z.string().max(40).nullish(),
});
export type PasskeyRegistrationResponse = z.infer<typeof passkeyRegistrationResponse>;

/** WebAuthn options for the browser, as JSON. */
export const passkeyOptions = z.looseObject({ challenge: z.string() });

export const passkeySignIn = z.object({ credential: passkeyAuthenticationResponse });

export const passkeyName = singleLine({
  max: limits.passkeyName,
  required: 'passkey-name-required',
  tooLong: 'passkey-name-too-long',
});
export const passkeyRename = z.object({ name: passkeyName });

export const newPasskey = z.object({ name: passkeyName, credential: passkeyRegistrationResponse });
export type NewPasskey = z.infer<typeof newPasskey>;

export const passkey = z.object({
  id,
  name: z.string(),
  createdAt: time,
  lastUsedAt: time.nullable(),
});
export type Passkey = z.infer<typeof passkey>;

export const passkeys = z.object({ items: z.array(passkey) });
