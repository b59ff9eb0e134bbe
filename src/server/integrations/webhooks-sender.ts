import { isUnavailableError } from '#server/core/errors.ts';
import type { Logger } from 'pino';
import { type Database, transaction } from '#server/core/database.ts';
import { publishAll } from '#server/core/events.ts';
import { startPollingLoop } from '#server/core/polling-loop.ts';
import type { SiteSettings } from '#server/core/site-settings.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import { notifyOfQueue } from '#server/notifications/index.ts';
import type { WebhookHosts } from './webhooks-addresses.ts';
import {
  advanceResource,
  type Attempt,
  type ClaimedResource,
  claimResources,
  type DeliveryRow,
  findNextDelivery,
  giveUpDelivery,
  lockClaim,
  noteFailure,
  noteSkipped,
  noteSuccess,
  postponeResource,
  recordAttempt,
  stopWebhook,
} from './webhooks-delivery-queries.ts';
import { queueWebhookDeliveries } from './webhooks-dispatch.ts';
import { renderWebhookBody } from './webhooks-formats.ts';
import { listNamedMembers, readWebhookPayload } from './webhooks-payloads.ts';
import { type AttemptResult, attemptTimeoutMs, sendWebhookRequest } from './webhooks-request.ts';
import { decryptWebhookSecret, signWebhook } from './webhooks-secrets.ts';

export type WebhookSenderDeps = {
  db: Database;
  settings: OperatorSettings;
  siteSettings: SiteSettings;
  hosts: WebhookHosts;
  log: Logger;
  /** Milliseconds for one attempt. */
  timeoutMs?: number;
  /** How often a node looks for events and due deliveries without a wake-up. */
  pollMs?: number;
  /** Milliseconds between the first two attempts. */
  firstRetryMs?: number;
};

/** Sends the deliveries of web hooks on this node. */
export type WebhookSender = {
  /** There may be new events or deliveries. */
  wake: () => void;
  /** Accepts no more deliveries and waits for running attempts. */
  stop: () => Promise<void>;
};

/** Attempts of one web hook that a node runs at the same time. One that hangs does not delay the others. */
const attemptsPerWebhook = 4;

/** After this time, another node takes over an attempt: it has taken longer than any can. */
const leaseSeconds = 30;

/** Retries end after this time, and so does a web hook without any success. */
const giveUpAfter = '3 days';

/** Delays between the attempts of a delivery: 5 s, 20 s, 80 s, 5 min, 21 min, then an hour. */
const retries = { firstMs: 5_000, factor: 4, maxMs: 60 * 60_000 } as const;

/** The longest pause that a receiver can ask for. */
const maxRetryAfterMs = 24 * 60 * 60_000;

export function startWebhookSender(deps: WebhookSenderDeps): WebhookSender {
  const { db, log, pollMs = 5_000 } = deps;
  const running = new Map<number, number>();
  const attempts = new Set<Promise<void>>();
  const { wake, stop } = startPollingLoop({
    pollMs,
    async run() {
      await queueWebhookDeliveries(db);
      await startAttempts();
    },
    // The database may restart; the next round continues where this one stopped.
    onError: (error) => log.warn({ err: error }, 'Web hooks wait, because the database reported an error.'),
  });

  return {
    wake,
    async stop() {
      await stop();
      await Promise.all(attempts);
    },
  };

  async function startAttempts(): Promise<void> {
    const claimed = await claimResources(db, { running, perWebhook: attemptsPerWebhook, leaseSeconds });
    for (const each of claimed) {
      const { webhook_id: id } = each;
      running.set(id, (running.get(id) ?? 0) + 1);
      const attempt = attemptNext(deps, each)
        .catch((error: unknown) =>
          // Another attempt follows after the lease.
          log.warn({ err: error }, 'A web hook attempt was not recorded.'),
        )
        .finally(() => {
          attempts.delete(attempt);
          const others = (running.get(id) ?? 1) - 1;
          if (others === 0) running.delete(id);
          else running.set(id, others);
          wake();
        });
      attempts.add(attempt);
    }
  }
}

/** Sends the next delivery of a resource once and records the outcome. */
async function attemptNext(deps: WebhookSenderDeps, claimed: ClaimedResource): Promise<void> {
  const { db, firstRetryMs = retries.firstMs } = deps;
  const delivery = await findNextDelivery(db, claimed);
  if (delivery === undefined) {
    await transaction(db, async (tx) => {
      if (await lockClaim(tx, claimed)) await advanceResource(tx, claimed);
    });
    return;
  }
  const { result, requestBody, named, durationMs } = await send(deps, delivery).catch(
    (error: unknown): Sent => {
      // The database restarts or is too busy: the attempt is repeated after its lease.
      if (isUnavailableError(error)) throw error;
      // Counted as an attempt, so that this delivery ends after `giveUpAfter` and later ones of its question follow.
      deps.log.error({ err: error, delivery: delivery.id }, 'A web hook delivery could not be prepared.');
      return { ...nothing, result: { ...noResult, error: 'internal' } };
    },
  );
  const { status, error, responseBody } = result;
  const isSkipped = error === 'not-public';
  const state = isSkipped ? 'skipped' : error === null ? 'delivered' : 'pending';
  const attempt: Attempt = { state, status, error, durationMs, requestBody, named, responseBody };
  await transaction(db, async (tx) => {
    // Otherwise another node took over, because this one was stopped for a while.
    if (!(await lockClaim(tx, claimed))) return;
    const recorded = await recordAttempt(tx, { id: delivery.id, attempt, giveUpAfter });
    if (state !== 'pending') {
      await (isSkipped ? noteSkipped : noteSuccess)(tx, delivery.webhook_id);
      await advanceResource(tx, claimed);
      return;
    }
    const pauseMs = getPause(result);
    const isDead = await noteFailure(tx, { id: delivery.webhook_id, pauseMs, giveUpAfter });
    if (recorded.isOverdue) {
      await giveUpDelivery(tx, delivery.id);
      await advanceResource(tx, claimed);
    } else
      await postponeResource(
        tx,
        claimed,
        Math.max(getRetryDelay(recorded.attempts, firstRetryMs), pauseMs ?? 0),
      );
    // One failure is not enough: deliveries that failed before may have been skipped or deleted.
    if (status !== 410 && !(isDead && recorded.isOverdue)) return;
    if (await stopWebhook(tx, delivery.webhook_id, status === 410 ? 'gone' : 'failures'))
      await publishAll(tx, await notifyOfQueue(tx, { kind: 'webhook', isFirst: true, except: null }));
  });
}

type Sent = { result: AttemptResult; durationMs: number | null } & Pick<Attempt, 'requestBody' | 'named'>;

/** Nothing was sent. */
const nothing = { requestBody: null, named: [], durationMs: null } as const;
const noResult = { status: null, responseBody: null, retryAfterMs: null } as const;

async function send(
  { db, settings, siteSettings, hosts, timeoutMs = attemptTimeoutMs }: WebhookSenderDeps,
  delivery: DeliveryRow,
): Promise<Sent> {
  const { address, format, message_id: id } = delivery;
  const payload = await readWebhookPayload(db, delivery, settings.publicUrl ?? '');
  if (payload === null) return { ...nothing, result: { ...noResult, error: 'not-public' } };
  const secrets = readSecrets(settings, delivery);
  if (secrets === null) return { ...nothing, result: { ...noResult, error: 'secret-unreadable' } };
  const body = renderWebhookBody(payload, { format, language: siteSettings.get('language') });
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Parley (web hook)',
    ...signWebhook(secrets, { id, at: new Date(), body }),
  };
  const start = performance.now();
  const result = await sendWebhookRequest({ address, headers, body }, { hosts, timeoutMs });
  const durationMs = Math.round(performance.now() - start);
  return { result, requestBody: body, named: listNamedMembers(payload), durationMs };
}

/** The secrets that sign, the new one first. Null if the present one cannot be read. */
function readSecrets(
  settings: OperatorSettings,
  { encrypted_secret: present, encrypted_old_secrets: old }: DeliveryRow,
): string[] | null {
  const secret = decryptWebhookSecret(settings, present);
  if (secret === null) return null;
  return [secret, ...old.flatMap((each) => decryptWebhookSecret(settings, each) ?? [])];
}

/** How long the receiver asks Parley to send nothing: it is overloaded, or limits requests. */
function getPause({ status, retryAfterMs }: Pick<AttemptResult, 'status' | 'retryAfterMs'>): number | null {
  if (retryAfterMs === null || (status !== 429 && status !== 503)) return null;
  return Math.min(retryAfterMs, maxRetryAfterMs);
}

/** The delay after a number of failed attempts, in milliseconds. A random part spreads the load. */
function getRetryDelay(attempts: number, firstMs: number): number {
  const { factor, maxMs } = retries;
  return Math.min(maxMs, firstMs * factor ** (attempts - 1)) * (0.9 + 0.2 * Math.random());
}
