import { z } from 'zod';

/** What notifications are about, as members choose; `notification_category()` in the database sorts the kinds into these. */
export const notificationAbout = z.enum(['answers', 'followed', 'replies', 'mentions', 'accepted', 'votes']);
export type NotificationAbout = z.infer<typeof notificationAbout>;

export const mailChoice = z.enum(['off', 'at_once', 'daily', 'weekly']);
export type MailChoice = z.infer<typeof mailChoice>;

export const notificationChoice = z.object({
  about: notificationAbout,
  /** Off: nothing is told of it, by no way. */
  inApp: z.boolean(),
  mail: mailChoice,
  push: z.boolean(),
});
export type NotificationChoice = z.infer<typeof notificationChoice>;

/** What holds until a member chooses; the trigger `apply_notification_preference()` holds the same. */
export function defaultChoice(about: NotificationAbout): NotificationChoice {
  return { about, inApp: true, mail: 'off', push: about !== 'votes' };
}

/** What is not named stays. */
export const notificationChoiceChange = z.object({
  inApp: z.boolean().optional(),
  mail: mailChoice.optional(),
  push: z.boolean().optional(),
  /** Where the member is, as their browser names it; digests come in the morning there. */
  timeZone: z
    .string()
    .regex(/^[\w+/-]{1,64}$/, 'must be a name such as Europe/Berlin')
    .optional(),
});
export type NotificationChoiceChange = z.infer<typeof notificationChoiceChange>;

/**
 * Whether a member can be mailed: 'unavailable' without a mail server; 'unconfirmed' until the link in the mail to the
 * own address was opened.
 */
export const mailState = z.enum(['unavailable', 'unconfirmed', 'confirmed']);
export type MailState = z.infer<typeof mailState>;

export const notificationSettings = z.object({
  choices: z.array(notificationChoice),
  mail: mailState,
  /** The public key that browsers ask their push service with; null where this Parley does not push. */
  pushKey: z.string().nullable(),
  /** Whether this session's browser is pushed to. */
  pushHere: z.boolean(),
});
export type NotificationSettings = z.infer<typeof notificationSettings>;

/** What a browser's `PushSubscription` says; keys are base64url without padding (RFC 8291). */
export const pushDevice = z.object({
  endpoint: z
    .string()
    .max(1000)
    .regex(/^https?:\/\/[\x21-\x7e]+$/, 'must be the address of a push service'),
  p256dh: z.string().regex(/^[\w-]{87}$/, 'must be a public key of 65 bytes'),
  auth: z.string().regex(/^[\w-]{22}$/, 'must be a secret of 16 bytes'),
});
export type PushDevice = z.infer<typeof pushDevice>;

/** A signed token of a link in a mail. */
export const mailToken = z.object({ token: z.string().regex(/^[\w.-]{1,300}$/, 'is not one of ours') });

/** What a link to unsubscribe ends: mails about one thing, or all of one rhythm. */
export const mailScope = z.union([notificationAbout, mailChoice.exclude(['off'])]);
export type MailScope = z.infer<typeof mailScope>;

/** What is pushed to a device; the worker shows it. */
export const pushMessage = z.object({
  title: z.string(),
  body: z.string(),
  /** Where a click leads, within this site. */
  link: z.string(),
  /** A later message with the same tag takes the place of the earlier. */
  tag: z.string(),
});
export type PushMessage = z.infer<typeof pushMessage>;
