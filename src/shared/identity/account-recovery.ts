import { emailToken, time } from '#shared/core/fields.ts';
import { languages } from '#shared/core/languages.ts';
import { z } from 'zod';
import { passwordChange } from './profiles.ts';

/** How to reset a forgotten password: by email, or by asking the operator. */
export const passwordResetOptions = z.object({ byEmail: z.boolean() });

export const passwordResetRequest = z.object({ email: z.string() });

export const passwordReset = emailToken.extend({ newPassword: passwordChange.shape.newPassword });

/** What still signs in to the account after a reset: numbers of passkeys, and of linked accounts at providers. */
export const passwordResetResult = z.object({ passkeys: z.number(), linkedAccounts: z.number() });
export type PasswordResetResult = z.infer<typeof passwordResetResult>;

export const ownEmail = z.object({
  email: z.string(),
  /** Whether the member has confirmed the address. */
  isConfirmed: z.boolean(),
  /** The new address that waits for confirmation; null if there is none. */
  pendingEmail: z.string().nullable(),
  /**
   * Since when no emails are sent to the address because they came back, and what the mail server said; null: they are
   * sent.
   */
  emailsOff: z.object({ since: time, reason: z.string() }).nullable(),
  /** The language of emails and push messages. Null: that of the community. */
  language: z.enum(languages).nullable(),
  /** Whether the member can confirm actions with a password. Others must have signed in recently. */
  hasPassword: z.boolean(),
  /** Whether Parley has a mail server. Without one, a change takes effect immediately. */
  isEmailEnabled: z.boolean(),
});
export type OwnEmail = z.infer<typeof ownEmail>;

/** Whether emails to the address are sent. A mail server switches them off; the member can only switch them on. */
export const emailDelivery = z.object({ enabled: z.literal(true) });

/** The language in which a member wants emails and push messages. */
export const languageChoice = z.object({ language: z.enum(languages) });

export const emailChange = z.object({ email: z.string(), password: z.string().max(1000) });
export type EmailChange = z.infer<typeof emailChange>;
