import { z } from 'zod';
import { languages } from '#shared/core/languages.ts';
import { time } from '#shared/core/fields.ts';
import { securityEvent } from '#shared/identity/accounts.ts';

/** The security events that are emailed without a link. A change of address is emailed as 'address-changed'. */
export const emailedSecurityEvent = securityEvent.exclude(['email-changed']);

/** Every kind of email. */
export const emailKind = z.enum([
  'confirmation',
  'new-password',
  'new-address',
  'address-changed',
  'notification',
  'notifications',
  'daily-digest',
  'weekly-digest',
  'approval',
  'refusal',
  'warning',
  'suspension',
  ...emailedSecurityEvent.options,
  'test',
]);
export type EmailKind = z.infer<typeof emailKind>;

const language = z.enum(languages);

export const emailLanguageQuery = z.object({ language: language.default('en') });

export const emailThemes = ['light', 'dark'] as const;
export const emailPreviewQuery = emailLanguageQuery.extend({ theme: z.enum(emailThemes).default('light') });

/** The emails of the site and whether they can be sent. */
export const emailOverview = z.object({
  /** The kinds with their subjects in the language of the request. */
  kinds: z.array(z.object({ kind: emailKind, subject: z.string() })),
  /** The address of the sender. Null without a mail server. */
  sender: z.string().nullable(),
  /** Where bounces arrive; null if only refusals of the mail server count. */
  bounceAddress: z.string().nullable(),
  replyAddress: z.string().nullable(),
  /** Members whose emails are off because they came back, up to 1000. */
  membersOff: z.int().nonnegative(),
  /** Hours with attempts that failed, the latest first. */
  failures: z.array(z.object({ reason: z.string(), failures: z.int().positive(), lastAt: time })),
});
export type EmailOverview = z.infer<typeof emailOverview>;

/** A kind of email with sample data, as text. */
export const emailSample = z.object({ subject: z.string(), text: z.string() });

export const testEmail = z.object({ kind: emailKind, language });

/**
 * What the mail server did with a test email. 'signed-out': it refuses the user or the password of SMTP_URL. 'no-tls':
 * the encrypted connection failed.
 */
export const testEmailOutcome = z.object({
  outcome: z.enum(['accepted', 'refused', 'signed-out', 'no-tls', 'unreachable']),
  /** Its own words, or the error of the connection. */
  answer: z.string(),
});
export type TestEmailOutcome = z.infer<typeof testEmailOutcome>;
