import { z } from 'zod';
import { mailToken } from './notification-settings.ts';
import { passwordChange } from './profiles.ts';

/** What somebody is told who wants to get in again, or to be reached elsewhere. */
export const recoveryMessages = {
  noMail:
    'This Parley has no mail server. Please ask whoever runs it: they can give you a link that sets a new password.',
  tooMany: 'Too many links were asked for. Please try again later.',
  sameAddress: 'This is your address already.',
  addressTaken: 'This address belongs to another account.',
  tooManyAddresses: 'You have asked for this a few times today. Please look for the mails first.',
} as const;

/** How a forgotten password is reset here: by a mail, or by asking whoever runs this Parley. */
export const resetting = z.object({ byMail: z.boolean() });

export const resetRequest = z.object({ email: z.string() });

export const newPassword = mailToken.extend({ newPassword: passwordChange.shape.newPassword });

export const ownAddress = z.object({
  email: z.string(),
  /** Whether the member has shown that it is theirs. */
  isConfirmed: z.boolean(),
  /** The address it becomes once the link in the mail to it was opened; null: none. */
  wanted: z.string().nullable(),
  /** Whether Parley has a mail server. Without one a change holds at once. */
  isMailed: z.boolean(),
});
export type OwnAddress = z.infer<typeof ownAddress>;

export const addressChange = z.object({ email: z.string(), password: z.string().max(1000) });
export type AddressChange = z.infer<typeof addressChange>;
