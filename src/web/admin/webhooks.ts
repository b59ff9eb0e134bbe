import { t } from '@lingui/core/macro';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { chatNames, type WebhookEvent, type WebhookFormat } from '#shared/integrations/webhook-events.ts';
import type { WebhookDelivery, WebhookDraft, WebhookFailure } from '#shared/integrations/webhooks.ts';
import { api, readJson } from '#web/core/api.ts';
import { pagedQuery } from '#web/core/paged-query.ts';
import { change } from './change.ts';

const webhooksKey = ['admin', 'webhooks'];
const webhookApi = api.admin.webhooks;
const paramOf = (id: number) => ({ param: { id: String(id) } });

/** How often web hooks and their deliveries are read while an event waits, in milliseconds. */
export const refreshMs = 3_000;

export const webhooksQuery = queryOptions({
  queryKey: webhooksKey,
  queryFn: ({ signal }) => readJson(webhookApi.$get({}, { init: { signal } })),
  staleTime: 0,
  refetchInterval: ({ state }) =>
    state.data?.items.some(({ enabled, waiting }) => enabled && waiting > 0) === true ? refreshMs : false,
});

export const webhookDeliveriesQuery = (id: number) =>
  pagedQuery([...webhooksKey, id, 'deliveries'], (page, options) =>
    readJson(webhookApi[':id'].deliveries.$get({ ...paramOf(id), query: page }, options)),
  );

export const addWebhook = (client: QueryClient, json: WebhookDraft) =>
  change(client, webhooksKey, readJson(webhookApi.$post({ json })));

export const changeWebhook = (client: QueryClient, id: number, json: WebhookDraft) =>
  change(client, webhooksKey, readJson(webhookApi[':id'].$put({ ...paramOf(id), json })));

export const setWebhookEnabled = (client: QueryClient, id: number, enabled: boolean) =>
  change(
    client,
    webhooksKey,
    readJson(webhookApi[':id'].enabled.$put({ ...paramOf(id), json: { enabled } })),
  );

export const replaceWebhookSecret = (client: QueryClient, id: number) =>
  change(client, webhooksKey, readJson(webhookApi[':id'].secret.$post(paramOf(id))));

export const deleteWebhook = (client: QueryClient, id: number) =>
  change(client, webhooksKey, readJson(webhookApi[':id'].$delete(paramOf(id))));

export const sendTestEvent = (client: QueryClient, id: number) =>
  change(client, webhooksKey, readJson(webhookApi[':id'].tests.$post(paramOf(id))));

export const repeatDelivery = (client: QueryClient, id: number, deliveryId: number) =>
  change(
    client,
    webhooksKey,
    readJson(
      webhookApi[':id'].deliveries[':deliveryId'].attempts.$post({
        param: { id: String(id), deliveryId: String(deliveryId) },
      }),
    ),
  );

export const getFormatLabel = (format: WebhookFormat) =>
  format === 'standard' ? t`JSON, signed (Standard Webhooks)` : chatNames[format];

/** What happened, without the kind of the post. */
export function describeEvent(event: WebhookEvent): string {
  switch (event.slice(event.indexOf('.') + 1)) {
    case 'posted':
      return t`Posted`;
    case 'edited':
      return t`Edited`;
    case 'removed':
      return t`Deleted or hidden`;
    case 'restored':
      return t`Shown again`;
    case 'accepted':
      return t`Accepted`;
    case 'joined':
      return t`Joined`;
    default:
      return t`No longer accepted`;
  }
}

export function describeState(state: WebhookDelivery['state']): string {
  switch (state) {
    case 'pending':
      return t`Waiting`;
    case 'delivered':
      return t`Delivered`;
    case 'failed':
      return t`Given up`;
    case 'skipped':
      return t`Not sent`;
  }
}

/** The outcome of the last attempt; null before it. */
export function describeOutcome({ error, status }: WebhookDelivery): string | null {
  if (error === null || error === 'status') return status === null ? null : t`HTTP ${status}`;
  return failureTexts[error]();
}

const failureTexts: Readonly<Record<Exclude<WebhookFailure, 'status'>, () => string>> = {
  'address-refused': () => t`The address is not on the public internet.`,
  timeout: () => t`No response within 10 seconds.`,
  'unknown-host': () => t`The host is unknown.`,
  'connection-refused': () => t`The host refused the connection.`,
  'connection-closed': () => t`The host closed the connection.`,
  certificate: () => t`The certificate of the host is not valid.`,
  redirect: () => t`The receiver redirects, which web hooks do not follow.`,
  'secret-unreadable': () => t`The secret cannot be read. Replace it.`,
  'connection-failed': () => t`The connection failed.`,
  internal: () => t`Parley could not prepare the request. Its log has the error.`,
  'not-public': () => t`The post is deleted or hidden.`,
};
