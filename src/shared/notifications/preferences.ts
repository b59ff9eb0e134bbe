import { z } from 'zod';

/** The categories that members choose settings for. `notification-kinds.ts` has the category of each kind. */
export const notificationCategory = z.enum([
  'answers',
  'followed',
  'replies',
  'mentions',
  'accepted',
  'votes',
  'edits',
  /** For moderators only. */
  'moderation',
]);
export type NotificationCategory = z.infer<typeof notificationCategory>;

export const emailFrequency = z.enum(['off', 'instant', 'daily', 'weekly']);
export type EmailFrequency = z.infer<typeof emailFrequency>;

export const notificationPreference = z.object({
  category: notificationCategory,
  /** Off: no notification at all, by any channel. */
  inApp: z.boolean(),
  email: emailFrequency,
  push: z.boolean(),
});
export type NotificationPreference = z.infer<typeof notificationPreference>;

/** Returns the settings of a member who has not chosen any. */
export function getDefaultPreference(category: NotificationCategory): NotificationPreference {
  return { category, inApp: true, email: 'off', push: category !== 'votes' };
}

/** Absent fields do not change. */
export const notificationPreferenceChange = z.object({
  inApp: z.boolean().optional(),
  email: emailFrequency.optional(),
  push: z.boolean().optional(),
  /** The member's time zone from their browser. Digests are sent in the morning there. */
  timeZone: z
    .string()
    .regex(/^[\w+/-]{1,64}$/, 'must be a name such as Europe/Berlin')
    .optional(),
});
export type NotificationPreferenceChange = z.infer<typeof notificationPreferenceChange>;

/**
 * Whether the member can be emailed: 'unavailable' without a mail server; 'unconfirmed' until they open the emailed
 * link; 'off' after emails came back.
 */
export const emailStatus = z.enum(['unavailable', 'unconfirmed', 'confirmed', 'off']);
export type EmailStatus = z.infer<typeof emailStatus>;

export const notificationPreferences = z.object({
  preferences: z.array(notificationPreference),
  emailStatus: emailStatus,
  /** The VAPID public key for browsers to subscribe with; null if push is off. */
  pushKey: z.string().nullable(),
  /** Whether this session's browser receives push messages. */
  isPushEnabledHere: z.boolean(),
});
export type NotificationPreferences = z.infer<typeof notificationPreferences>;

/** The fields of a browser's `PushSubscription`; keys are base64url without padding (RFC 8291). */
export const pushSubscription = z.object({
  endpoint: z
    .string()
    .max(1000)
    .regex(/^https?:\/\/[\x21-\x7e]+$/, 'must be the address of a push service'),
  p256dh: z.string().regex(/^[\w-]{87}$/, 'must be a public key of 65 bytes'),
  auth: z.string().regex(/^[\w-]{22}$/, 'must be a secret of 16 bytes'),
});
export type NewPushSubscription = z.infer<typeof pushSubscription>;

/** What an unsubscribe link ends: emails of one category, or all emails of one frequency. */
export const unsubscribeScope = z.union([notificationCategory, emailFrequency.exclude(['off'])]);
export type UnsubscribeScope = z.infer<typeof unsubscribeScope>;

/** A push message; the service worker shows it. */
export const pushMessage = z.object({
  title: z.string(),
  body: z.string(),
  /** The path of the icon of the site; null or absent for that of the build. */
  icon: z.string().nullable().optional(),
  /** The URL to open on a click, within this site. */
  link: z.string(),
  /** A later message with the same tag replaces the earlier one. */
  tag: z.string(),
});
export type PushMessage = z.infer<typeof pushMessage>;

/**
 * What the service worker asks each window after a click on a push message. The window replies whether it shows the page
 * of the link. With `opens`, it goes to the link instead.
 */
export type NotificationLinkRequest = { notificationLink: string; opens: boolean };
