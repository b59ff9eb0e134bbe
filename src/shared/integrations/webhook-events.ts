/** The events that web hooks deliver (docs/webhooks.md), in the order in which forms list them. */
export const webhookEvents = [
  'question.posted',
  'question.edited',
  'question.removed',
  'question.restored',
  'answer.posted',
  'answer.edited',
  'answer.accepted',
  'answer.unaccepted',
  'answer.removed',
  'answer.restored',
  'reply.posted',
  'reply.edited',
  'reply.removed',
  'reply.restored',
  'member.joined',
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** Also the event of 'Send test event'. */
export type WebhookEventType = WebhookEvent | 'webhook.test';

/** The events that a chat message can be about: the others have no content to show. */
export const chatEvents: readonly WebhookEvent[] = webhookEvents.filter(
  (event) => !event.endsWith('.removed') && event !== 'answer.unaccepted',
);

/** 'standard': JSON, signed by the scheme of Standard Webhooks. The others: messages for incoming web hooks of chats. */
export const webhookFormats = ['standard', 'slack', 'mattermost', 'discord', 'teams'] as const;
export type WebhookFormat = (typeof webhookFormats)[number];

/** The names of the chats. */
export const chatNames: Readonly<Record<Exclude<WebhookFormat, 'standard'>, string>> = {
  slack: 'Slack',
  mattermost: 'Mattermost',
  discord: 'Discord',
  teams: 'Microsoft Teams',
};

export const webhookLimits = {
  webhooks: 20,
  name: 60,
  address: 1_000,
  tags: 20,
  /** Bytes of a response that are stored. */
  responseBytes: 1_024,
} as const;
