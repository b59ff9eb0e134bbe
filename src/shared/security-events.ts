import { z } from 'zod';

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
export type SecurityEvent = z.infer<typeof securityEvent>;
