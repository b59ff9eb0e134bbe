import { emailToken } from '#shared/core/fields.ts';
import { z } from 'zod';
import { passwordChange } from './profiles.ts';

/** What somebody is told who wants to get in again, or to be reached elsewhere. */
export const recoveryMessages = {
  emailDisabled:
    'This Parley has no mail server. Please ask whoever runs it: they can give you a link that sets a new password.',
  tooMany: 'Too many links were asked for. Please try again later.',
  sameEmail: 'This is your address already.',
  emailTaken: 'This address belongs to another account.',
  tooManyEmailChanges: 'You have asked for this a few times today. Please look for the mails first.',
} as const;

/** How a forgotten password is reset here: by a mail, or by asking whoever runs this Parley. */
export const passwordResetOptions = z.object({ byEmail: z.boolean() });

export const passwordResetRequest = z.object({ email: z.string() });

export const passwordReset = emailToken.extend({ newPassword: passwordChange.shape.newPassword });

export const ownEmail = z.object({
  email: z.string(),
  /** Whether the member has shown that it is theirs. */
  isConfirmed: z.boolean(),
  /** The address it becomes once the link in the mail to it was opened; null: none. */
  pendingEmail: z.string().nullable(),
  /** Whether Parley has a mail server. Without one a change holds at once. */
  isEmailEnabled: z.boolean(),
});
export type OwnEmail = z.infer<typeof ownEmail>;

export const emailChange = z.object({ email: z.string(), password: z.string().max(1000) });
export type EmailChange = z.infer<typeof emailChange>;
