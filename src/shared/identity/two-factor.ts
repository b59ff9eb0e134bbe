import { z } from 'zod';
import { sessionState } from './accounts.ts';
import { time } from '#shared/core/fields.ts';

/** The result of a sign-in attempt: signed in, or a further step is needed. */
export const signInState = sessionState.extend({
  /** The step needed to sign in; absent after signing in. */
  needs: z.enum(['two-factor', 'password', 'sign-up-answers']).optional(),
});
export type SignInState = z.infer<typeof signInState>;

/** Six digits of an authenticator app, or a recovery code. */
export const twoFactorCode = z.object({ code: z.string().max(100) });

/** The password, to confirm the member's identity. Members without one must have signed in recently. */
export const reauthentication = z.object({ password: z.string().max(1000).optional() });
export type Reauthentication = z.infer<typeof reauthentication>;

export const twoFactorState = z.object({
  /** Null if it is off. */
  enabledAt: time.nullable(),
  recoveryCodesLeft: z.int().nonnegative(),
});
export type TwoFactorState = z.infer<typeof twoFactorState>;

/** The data for an authenticator app, to be sent back with its first code. */
export const twoFactorSetup = z.object({
  /** In base32, for typing instead of scanning. */
  key: z.string(),
  /** The same as a URI for a QR code (`otpauth:`). */
  uri: z.string(),
  setup: z.string(),
});
export type TwoFactorSetup = z.infer<typeof twoFactorSetup>;

export const twoFactorActivation = twoFactorCode.extend({ setup: z.string().max(1000) });

/** Returned once; only hashes are stored. */
export const recoveryCodes = z.object({ recoveryCodes: z.array(z.string()) });

/** What was removed for a member who lost it, and whether they still have a password. */
export const removedSignInFactors = z.object({
  twoFactor: z.boolean(),
  passkeys: z.int().nonnegative(),
  hasPassword: z.boolean(),
});
export type RemovedSignInFactors = z.infer<typeof removedSignInFactors>;
