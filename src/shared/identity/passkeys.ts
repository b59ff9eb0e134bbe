import { z } from 'zod';
import { id, singleLine, time } from '#shared/core/fields.ts';
import { limits } from '#shared/core/limits.ts';

export const passkeyMessages = {
  refused: 'That passkey did not sign you in. Please try again.',
  notAdded: 'That passkey could not be added. Please try again.',
  alreadyAdded: 'You have added this passkey already.',
  tooMany: `You can have up to ${limits.passkeys} passkeys.`,
  lastSignInMethod: 'This is your only way to sign in. Set a password or add another passkey first.',
} as const;

/** Base64url, as browsers write bytes into JSON. */
const bytes = z
  .string()
  .max(20_000)
  .regex(/^[\w-]*$/, 'The text is not base64url');

const credentialId = bytes.min(1).max(1400);

/** What `navigator.credentials.get` answered (WebAuthn Level 3, section 5.1: AuthenticationResponseJSON). */
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

/** What `navigator.credentials.create` answered (RegistrationResponseJSON). */
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

/** What the browser is asked to do: options of WebAuthn as JSON. */
export const passkeyOptions = z.looseObject({ challenge: z.string() });

export const passkeySignIn = z.object({ credential: passkeyAuthenticationResponse });

export const passkeyName = singleLine({
  max: limits.passkeyName,
  required: 'Give the passkey a name',
  tooLong: `A passkey's name can have up to ${limits.passkeyName} characters`,
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
