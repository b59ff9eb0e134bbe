import { type Database, type Reader, transaction, type Tx } from '#server/core/database.ts';
import { pageById } from '#server/core/cursor.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import { type Admin, insertLogEntry } from '#server/moderation/index.ts';
import { tagKey } from '#shared/core/text.ts';
import { webhookLimits } from '#shared/integrations/webhook-events.ts';
import type {
  Webhook,
  WebhookDeliveries,
  WebhookDelivery,
  WebhookDraft,
} from '#shared/integrations/webhooks.ts';
import type { WebhookHosts } from './webhooks-addresses.ts';
import { insertDeliveries } from './webhooks-delivery-queries.ts';
import { createMessageId, updateWebhookReader } from './webhooks-dispatch.ts';
import {
  countWaitingDeliveries,
  countWebhooks,
  findWebhook,
  insertWebhook,
  listDeliveries,
  type ListedDeliveryRow,
  listTagsByKey,
  listWebhooks,
  lockWebhooks,
  markWebhookDeleted,
  repeatDelivery,
  replaceWebhookSecret,
  switchWebhook,
  updateWebhook,
  type WebhookRow,
} from './webhooks-queries.ts';
import { createWebhookSecret, decryptWebhookSecret, encryptWebhookSecret } from './webhooks-secrets.ts';

export type WebhookDeps = {
  db: Database;
  settings: OperatorSettings;
  webhookHosts: WebhookHosts;
  /** Makes the sender of this node look for deliveries. Absent: it finds them by itself. */
  wakeWebhooks?: (() => void) | undefined;
};

/** Deliveries per page. */
const pageSize = 20;

/**
 * Admins add, change, switch and delete web hooks. Each change is in the moderation log, without the secret and with the
 * host of the address only, because the path of a chat's address is a secret, too.
 */
export function createWebhooks({ db, settings, webhookHosts, wakeWebhooks = () => {} }: WebhookDeps) {
  return { list, add, change, setEnabled, replaceSecret, remove, sendTest, deliveries, repeat };

  async function list(reader: Reader): Promise<{ items: Webhook[] }> {
    const [rows, waiting] = await Promise.all([listWebhooks(reader), countWaitingDeliveries(reader)]);
    return { items: rows.map((row) => toWebhook(row, waiting.get(row.id) ?? 0)) };
  }

  async function add(admin: Admin, draft: WebhookDraft): Promise<{ id: number; secret: string }> {
    webhookHosts.check(draft.address);
    const secret = createWebhookSecret();
    const id = await transaction(db, async (tx) => {
      await lockWebhooks(tx);
      const { webhooks: max } = webhookLimits;
      if ((await countWebhooks(tx)) >= max) throw new ProblemError('too-many-webhooks', { params: { max } });
      const values = await toStored(tx, draft);
      const added = await insertWebhook(tx, {
        ...values,
        encrypted_secret: encryptWebhookSecret(settings, secret),
      });
      await updateWebhookReader(tx);
      await log(tx, { admin, action: 'add_webhook', subject: draft.name, after: toLogged(values) });
      return added;
    });
    return { id, secret };
  }

  async function change(admin: Admin, id: number, draft: WebhookDraft): Promise<void> {
    webhookHosts.check(draft.address);
    await transaction(db, async (tx) => {
      await lockWebhooks(tx);
      const row = await requireWebhook(tx, id);
      const values = await toStored(tx, draft);
      const [before, after] = [toLogged(row), toLogged(values)];
      // The path of an address is not logged, but its change is.
      if (row.address !== values.address && before['address'] === after['address'])
        after['address'] = `${String(after['address'])} (changed)`;
      const names = Object.keys(after).filter((name) => String(before[name]) !== String(after[name]));
      if (names.length === 0) return;
      await updateWebhook(tx, id, values);
      const pick = (state: Record<string, Logged>) =>
        Object.fromEntries(names.map((name) => [name, state[name] ?? null]));
      await log(tx, {
        admin,
        action: 'change_webhook',
        subject: row.name,
        before: pick(before),
        after: pick(after),
      });
    });
  }

  async function setEnabled(admin: Admin, id: number, enabled: boolean): Promise<void> {
    await transaction(db, async (tx) => {
      await lockWebhooks(tx);
      const row = await requireWebhook(tx, id);
      if (row.is_enabled === enabled) return;
      await switchWebhook(tx, id, enabled);
      await updateWebhookReader(tx);
      const states = { before: { enabled: !enabled }, after: { enabled } };
      await log(tx, { admin, action: 'change_webhook', subject: row.name, ...states });
    });
    wakeWebhooks();
  }

  async function replaceSecret(admin: Admin, id: number): Promise<{ secret: string }> {
    const secret = createWebhookSecret();
    await transaction(db, async (tx) => {
      await lockWebhooks(tx);
      const { name } = await requireWebhook(tx, id);
      await replaceWebhookSecret(tx, id, encryptWebhookSecret(settings, secret));
      await log(tx, { admin, action: 'replace_webhook_secret', subject: name });
    });
    return { secret };
  }

  async function remove(admin: Admin, id: number): Promise<void> {
    await transaction(db, async (tx) => {
      await lockWebhooks(tx);
      const row = await requireWebhook(tx, id);
      await markWebhookDeleted(tx, id);
      await updateWebhookReader(tx);
      await log(tx, { admin, action: 'delete_webhook', subject: row.name, before: toLogged(row) });
    });
  }

  async function sendTest(id: number): Promise<void> {
    await transaction(db, async (tx) => {
      await requireEnabled(tx, id);
      const messageId = createMessageId();
      const ids = { questionId: null, answerId: null, replyId: null, memberId: null };
      const delivery = { ...ids, type: 'webhook.test', webhookId: id, messageId, at: new Date() } as const;
      // A resource of its own: a test does not wait for other deliveries.
      await insertDeliveries(tx, [{ ...delivery, resource: `test:${messageId}` }]);
    });
    wakeWebhooks();
  }

  async function deliveries(
    reader: Reader,
    { id, cursor }: { id: number; cursor?: string | undefined },
  ): Promise<WebhookDeliveries> {
    if ((await findWebhook(reader, id)) === undefined) throw new ProblemError('webhook-not-found');
    const { items, nextCursor } = await pageById(cursor, pageSize, (before, limit) =>
      listDeliveries(reader, { webhookId: id, before, limit }),
    );
    return { items: items.map(toDelivery), nextCursor };
  }

  /** Sends a delivery again, with the same id and the present content. */
  async function repeat(webhookId: number, id: number): Promise<void> {
    await transaction(db, async (tx) => {
      await requireEnabled(tx, webhookId);
      if (!(await repeatDelivery(tx, { webhookId, id })))
        throw new ProblemError('webhook-delivery-not-found');
    });
    wakeWebhooks();
  }

  function toWebhook(row: WebhookRow, waiting: number): Webhook {
    const until = row.previous_secret_until;
    return {
      id: row.id,
      name: row.name,
      address: row.address,
      format: row.format,
      events: row.events,
      tags: row.tags,
      enabled: row.is_enabled,
      stopReason: row.stop_reason,
      failingSince: row.failing_since?.toISOString() ?? null,
      deliveredAt: row.delivered_at?.toISOString() ?? null,
      waiting,
      hasReadableSecret: decryptWebhookSecret(settings, row.encrypted_secret) !== null,
      previousSecretUntil: until !== null && until.getTime() > Date.now() ? until.toISOString() : null,
      createdAt: row.created_at.toISOString(),
    };
  }
}

async function requireWebhook(tx: Tx, id: number): Promise<WebhookRow> {
  const row = await findWebhook(tx, id);
  if (row === undefined) throw new ProblemError('webhook-not-found');
  return row;
}

async function requireEnabled(tx: Tx, id: number): Promise<void> {
  if (!(await requireWebhook(tx, id)).is_enabled) throw new ProblemError('webhook-off');
}

/** The values to store. Tags are stored by their keys. */
async function toStored(tx: Tx, { name, address, format, events, tags }: WebhookDraft) {
  const keys = tags.map(tagKey);
  const known = keys.length === 0 ? [] : await listTagsByKey(tx, keys);
  const unknown = tags.find((tag) => !known.some(({ key }) => key === tagKey(tag)));
  if (unknown !== undefined) throw invalidFieldError('tags', 'webhook-tag-unknown', { tag: unknown });
  return { name, address: new URL(address).href, format, events: [...events], tags: keys };
}

type Logged = string | number | boolean | readonly string[] | null;

function toLogged(row: Pick<WebhookRow, 'name' | 'address' | 'format' | 'events' | 'tags'>) {
  const { name, format, events, tags } = row;
  const values: Record<string, Logged> = { name, address: new URL(row.address).origin, format, events, tags };
  return values;
}

type LoggedChange = {
  admin: Admin;
  action: Parameters<typeof insertLogEntry>[1]['action'];
  /** The name of the web hook. */
  subject: string;
  before?: Readonly<Record<string, Logged>>;
  after?: Readonly<Record<string, Logged>>;
};

async function log(tx: Tx, { admin, before = {}, after = {}, ...entry }: LoggedChange): Promise<void> {
  const about = { moderatorId: admin.id, reason: '', post: null, memberId: null };
  await insertLogEntry(tx, { ...about, ...entry, before, after });
}

const toDelivery = (row: ListedDeliveryRow): WebhookDelivery => ({
  id: row.id,
  messageId: row.message_id,
  eventType: row.event_type,
  questionId: row.question_id,
  occurredAt: row.occurred_at.toISOString(),
  state: row.state,
  attempts: row.attempts,
  lastAttemptAt: row.last_attempt_at?.toISOString() ?? null,
  nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
  status: row.status,
  error: row.error,
  durationMs: row.duration_ms,
  requestBody: row.request_body,
  responseBody: row.response_body,
});
