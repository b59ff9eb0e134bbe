import { z } from 'zod';

/** What notifications are about, as members choose; `notification_category()` in the database sorts the kinds into these. */
export const notificationCategory = z.enum([
  'answers',
  'followed',
  'replies',
  'mentions',
  'accepted',
  'votes',
]);
export type NotificationCategory = z.infer<typeof notificationCategory>;

export const emailFrequency = z.enum(['off', 'at_once', 'daily', 'weekly']);
export type EmailFrequency = z.infer<typeof emailFrequency>;

export const notificationPreference = z.object({
  category: notificationCategory,
  /** Off: nothing is told of it, by no way. */
  inApp: z.boolean(),
  email: emailFrequency,
  push: z.boolean(),
});
export type NotificationPreference = z.infer<typeof notificationPreference>;

/** What holds until a member chooses; the trigger `apply_notification_preference()` holds the same. */
export function getDefaultPreference(category: NotificationCategory): NotificationPreference {
  return { category, inApp: true, email: 'off', push: category !== 'votes' };
}

/** What is not named stays. */
export const notificationPreferenceChange = z.object({
  inApp: z.boolean().optional(),
  email: emailFrequency.optional(),
  push: z.boolean().optional(),
  /** Where the member is, as their browser names it; digests come in the morning there. */
  timeZone: z
    .string()
    .regex(/^[\w+/-]{1,64}$/, 'must be a name such as Europe/Berlin')
    .optional(),
});
export type NotificationPreferenceChange = z.infer<typeof notificationPreferenceChange>;

/**
 * Whether a member can be mailed: 'unavailable' without a mail server; 'unconfirmed' until the link in the mail to the
 * own address was opened.
 */
export const emailStatus = z.enum(['unavailable', 'unconfirmed', 'confirmed']);
export type EmailStatus = z.infer<typeof emailStatus>;

export const notificationPreferences = z.object({
  preferences: z.array(notificationPreference),
  emailStatus: emailStatus,
  /** The public key that browsers ask their push service with; null where this Parley does not push. */
  pushKey: z.string().nullable(),
  /** Whether this session's browser is pushed to. */
  isPushEnabledHere: z.boolean(),
});
export type NotificationPreferences = z.infer<typeof notificationPreferences>;

/** What a browser's `PushSubscription` says; keys are base64url without padding (RFC 8291). */
export const pushSubscription = z.object({
  endpoint: z
    .string()
    .max(1000)
    .regex(/^https?:\/\/[\x21-\x7e]+$/, 'must be the address of a push service'),
  p256dh: z.string().regex(/^[\w-]{87}$/, 'must be a public key of 65 bytes'),
  auth: z.string().regex(/^[\w-]{22}$/, 'must be a secret of 16 bytes'),
});
export type NewPushSubscription = z.infer<typeof pushSubscription>;

/** What a link to unsubscribe ends: mails about one thing, or all of one rhythm. */
export const unsubscribeScope = z.union([notificationCategory, emailFrequency.exclude(['off'])]);
export type UnsubscribeScope = z.infer<typeof unsubscribeScope>;

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
