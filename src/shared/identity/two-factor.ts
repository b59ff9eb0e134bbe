import { z } from 'zod';
import { sessionState } from './accounts.ts';
import { time } from '#shared/core/fields.ts';

export const twoFactorMessages = {
  wrongCode: 'That code is not right. Please try again.',
  expired: 'That took too long. Please sign in again.',
  tooMany: 'Too many wrong codes. Please try again in a quarter of an hour.',
  alreadyEnabled: 'Two-factor sign-in is on already.',
  alreadyDisabled: 'Two-factor sign-in is off already.',
  signInAgain: 'Please sign out and in again first: it is a while since you did.',
} as const;

/** How a try to sign in ended: signed in, or asked for a second factor. */
export const signInState = sessionState.extend({
  /** What is asked for before anybody is signed in; absent where somebody is. */
  needs: z.enum(['second-factor', 'password']).optional(),
});
export type SignInState = z.infer<typeof signInState>;

/** Six digits of an authenticator app, or a recovery code. */
export const twoFactorCode = z.object({ code: z.string().max(100) });

/** The password that shows who asks; members without one have signed in a short time ago instead. */
export const reauthentication = z.object({ password: z.string().max(1000).optional() });
export type Reauthentication = z.infer<typeof reauthentication>;

export const twoFactorState = z.object({
  /** Null where it is off. */
  enabledAt: time.nullable(),
  recoveryCodesLeft: z.int().nonnegative(),
});
export type TwoFactorState = z.infer<typeof twoFactorState>;

/** What an authenticator app is given, and what is sent back with its first code. */
export const twoFactorSetup = z.object({
  /** In base32, to be typed where nothing can be scanned. */
  key: z.string(),
  /** The same as a QR code shows it (`otpauth:`). */
  uri: z.string(),
  setup: z.string(),
});
export type TwoFactorSetup = z.infer<typeof twoFactorSetup>;

export const twoFactorActivation = twoFactorCode.extend({ setup: z.string().max(1000) });

/** Told this once; only their hashes are kept. */
export const recoveryCodes = z.object({ recoveryCodes: z.array(z.string()) });
