import { z } from 'zod';
import { withCode } from '#shared/core/coded-error.ts';
import { id, paged, singleLine, time } from '#shared/core/fields.ts';
import { tagKey } from '#shared/core/text.ts';
import { chatEvents, webhookEvents, webhookFormats, webhookLimits } from './webhook-events.ts';

const required = 'webhook-field-required';

/** https, or http to a host that the operator allows; the server checks the host. */
const address = singleLine({ max: webhookLimits.address, required, tooLong: 'text-too-long' }).refine(
  (url) => /^https?:\/\/[^\s@\\]+$/iu.test(url) && z.url().safeParse(url).success,
  withCode('webhook-address-not-valid'),
);

const tag = singleLine({ max: 100, required, tooLong: 'text-too-long' });

const values = z.object({
  name: singleLine({ max: webhookLimits.name, required, tooLong: 'text-too-long' }),
  address,
  format: z.enum(webhookFormats),
  events: z
    .array(z.enum(webhookEvents))
    .min(1, withCode('webhook-event-required'))
    .max(webhookEvents.length)
    .transform((events) => webhookEvents.filter((event) => events.includes(event))),
  /** Only events about questions with one of these tags. Empty: all. */
  tags: z
    .array(tag)
    .max(webhookLimits.tags)
    .transform((tags) => [...new Map(tags.map((name) => [tagKey(name), name])).values()]),
});

export const webhookDraft = values.refine(
  ({ format, events }) => format === 'standard' || events.every((event) => chatEvents.includes(event)),
  { ...withCode('webhook-event-not-for-chat'), path: ['events'] },
);
export type WebhookDraft = z.infer<typeof webhookDraft>;

export const webhookState = z.object({ enabled: z.boolean() });

/** A web hook as admins see it. Secrets are only in the responses that create them. */
export const webhook = z.object({
  id,
  name: z.string(),
  address: z.string(),
  format: z.enum(webhookFormats),
  events: z.array(z.enum(webhookEvents)),
  tags: z.array(z.string()),
  enabled: z.boolean(),
  /** Why Parley switched it off: three days of failures, or the receiver responded 410 Gone. */
  stopReason: z.enum(['failures', 'gone']).nullable(),
  /** The first failure since the last success. */
  failingSince: time.nullable(),
  /** The last delivery that succeeded. */
  deliveredAt: time.nullable(),
  /** Deliveries that wait for their first attempt or the next one. */
  waiting: z.int().nonnegative(),
  /** False after a change of SECRET: an admin has to replace the secret. */
  hasReadableSecret: z.boolean(),
  /** Until when replaced secrets also sign. */
  previousSecretUntil: time.nullable(),
  createdAt: time,
});
export type Webhook = z.infer<typeof webhook>;

export const webhookList = z.object({ items: z.array(webhook) });

/** The secret is only in this response. */
export const createdWebhook = z.object({ id, secret: z.string() });

export const webhookSecret = z.object({ secret: z.string() });

/** Why an attempt failed, besides a status: an error of the connection, or why nothing was sent. */
export const webhookFailure = z.enum([
  'address-refused',
  'timeout',
  'unknown-host',
  'connection-refused',
  'connection-closed',
  'certificate',
  'redirect',
  'status',
  'secret-unreadable',
  'connection-failed',
  /** An error of Parley before the request. */
  'internal',
  /** Skipped: the post is deleted or hidden. */
  'not-public',
]);
export type WebhookFailure = z.infer<typeof webhookFailure>;

export const webhookDelivery = z.object({
  id,
  /** The header webhook-id, the same for all attempts. */
  messageId: z.string(),
  eventType: z.string(),
  questionId: id.nullable(),
  occurredAt: time,
  state: z.enum(['pending', 'delivered', 'failed', 'skipped']),
  attempts: z.int().nonnegative(),
  lastAttemptAt: time.nullable(),
  /** The next attempt of a pending delivery; null while it waits for an earlier one about the same question. */
  nextAttemptAt: time.nullable(),
  status: z.int().nullable(),
  error: webhookFailure.nullable(),
  durationMs: z.int().nullable(),
  /** Null before the first attempt, and after the post was deleted or hidden. */
  requestBody: z.string().nullable(),
  /** The first kilobyte. */
  responseBody: z.string().nullable(),
});
export type WebhookDelivery = z.infer<typeof webhookDelivery>;

/** Newest first. */
export const webhookDeliveries = paged(webhookDelivery);
export type WebhookDeliveries = z.infer<typeof webhookDeliveries>;

export const webhookDeliveryParam = z.object({
  id: z
    .string()
    .regex(/^[1-9]\d{0,15}$/, withCode('id-not-valid'))
    .transform(Number),
  deliveryId: z
    .string()
    .regex(/^[1-9]\d{0,15}$/, withCode('id-not-valid'))
    .transform(Number),
});
