import { sql } from 'kysely';
import { isBefore } from '#server/core/cursor.ts';
import type { Queryable, Reader, Tx } from '#server/core/database.ts';
import { one } from '#server/core/sql.ts';
import type { WebhookEvent, WebhookFormat } from '#shared/integrations/webhook-events.ts';
import type { WebhookDelivery, WebhookFailure } from '#shared/integrations/webhooks.ts';
import { isPublic } from './webhooks-delivery-queries.ts';

/** Serializes all changes of web hooks until the end of the transaction. */
export async function lockWebhooks(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('webhook', 0))`.execute(tx);
}

export type WebhookRow = {
  id: number;
  name: string;
  address: string;
  format: WebhookFormat;
  events: WebhookEvent[];
  tags: string[];
  encrypted_secret: string;
  previous_secret_until: Date | null;
  is_enabled: boolean;
  stop_reason: 'failures' | 'gone' | null;
  failing_since: Date | null;
  delivered_at: Date | null;
  created_at: Date;
};

const columns = sql`id, name, address, format, events, tags, encrypted_secret, is_enabled, stop_reason, failing_since,
  delivered_at, created_at,
  (select max(signs_until) from webhook_old_secret where webhook_id = webhook.id) as previous_secret_until`;

/** In the order in which they were added. */
export async function listWebhooks(db: Reader) {
  const { rows } = await sql<WebhookRow>`
    select ${columns} from webhook where deleted_at is null order by id`.execute(db);
  return rows;
}

/** The number of deliveries that wait, by web hook. */
export async function countWaitingDeliveries(db: Reader): Promise<ReadonlyMap<number, number>> {
  const { rows } = await sql<{ webhook_id: number; count: number }>`
    select webhook_id, count(*) as count from webhook_delivery where state = 'pending'
    group by webhook_id`.execute(db);
  return new Map(rows.map((row) => [row.webhook_id, row.count]));
}

export async function countWebhooks(tx: Tx): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from webhook where deleted_at is null`.execute(tx);
  return one(rows).count;
}

export async function findWebhook(db: Reader, id: number) {
  const { rows } = await sql<WebhookRow>`
    select ${columns} from webhook where id = ${id} and deleted_at is null`.execute(db);
  return rows[0];
}

/** The tags with these keys. */
export async function listTagsByKey(db: Queryable, keys: readonly string[]) {
  const { rows } = await sql<{ key: string; name: string }>`
    select key, name from tag where key = any(${[...keys]}::text[])`.execute(db);
  return rows;
}

type StoredValues = Pick<WebhookRow, 'name' | 'address' | 'format' | 'events' | 'tags'>;

export async function insertWebhook(
  tx: Tx,
  values: StoredValues & { encrypted_secret: string },
): Promise<number> {
  const { name, address, format, events, tags, encrypted_secret: secret } = values;
  const { rows } = await sql<{ id: number }>`
    insert into webhook (name, address, format, events, tags, encrypted_secret)
    values (${name}, ${address}, ${format}, ${events}::text[], ${tags}::text[], ${secret}) returning id`.execute(
    tx,
  );
  return one(rows).id;
}

/** A new address ends the pause that the receiver of the old one asked for, and its failures. */
export async function updateWebhook(tx: Tx, id: number, values: StoredValues): Promise<void> {
  const { name, address, format, events, tags } = values;
  await sql`
    update webhook_queue set next_attempt_at = now()
    where webhook_id = ${id} and claim is null
      and exists (select from webhook where id = ${id} and address <> ${address})`.execute(tx);
  await sql`
    update webhook set name = ${name}, address = ${address}, format = ${format}, events = ${events}::text[],
      tags = ${tags}::text[], paused_until = case when address = ${address} then paused_until end,
      failing_since = case when address = ${address} then failing_since end
    where id = ${id}`.execute(tx);
}

/**
 * Switches a web hook. Switched on, waiting deliveries are sent again at once, for another three days. The web hook is
 * last, as when the sender records an attempt; otherwise each could wait for the other.
 */
export async function switchWebhook(tx: Tx, id: number, isEnabled: boolean): Promise<void> {
  if (isEnabled) {
    await sql`update webhook_queue set next_attempt_at = now(), claim = null where webhook_id = ${id}`.execute(
      tx,
    );
    await sql`update webhook_delivery set first_attempt_at = null, attempts = 0 where webhook_id = ${id} and state = 'pending'`.execute(
      tx,
    );
  }
  await sql`
    update webhook set is_enabled = ${isEnabled}, enabled_at = now(), stop_reason = null, failing_since = null, paused_until = null
    where id = ${id}`.execute(tx);
}

/** The present secret becomes an old one, which signs for another day. */
export async function replaceWebhookSecret(tx: Tx, id: number, encrypted: string): Promise<void> {
  await sql`delete from webhook_old_secret where webhook_id = ${id} and signs_until <= now()`.execute(tx);
  await sql`
    insert into webhook_old_secret (webhook_id, encrypted_secret, signs_until)
    select id, encrypted_secret, now() + interval '1 day' from webhook where id = ${id}`.execute(tx);
  await sql`update webhook set encrypted_secret = ${encrypted} where id = ${id}`.execute(tx);
}

/** From now on it is neither shown nor sent to. `deleteOldDeliveries` deletes its rows. */
export async function markWebhookDeleted(tx: Tx, id: number): Promise<void> {
  await sql`
    update webhook set deleted_at = now(), is_enabled = false, stop_reason = null where id = ${id}`.execute(
    tx,
  );
}

export type ListedDeliveryRow = {
  id: number;
  message_id: string;
  event_type: string;
  question_id: number | null;
  occurred_at: Date;
  state: WebhookDelivery['state'];
  attempts: number;
  last_attempt_at: Date | null;
  next_attempt_at: Date | null;
  status: number | null;
  error: WebhookFailure | null;
  duration_ms: number | null;
  request_body: string | null;
  response_body: string | null;
};

/** Newest first, with ids below `before`. */
export async function listDeliveries(
  db: Reader,
  { webhookId, before, limit }: { webhookId: number; before: number | null; limit: number },
): Promise<ListedDeliveryRow[]> {
  const { rows } = await sql<ListedDeliveryRow>`
    select delivery.id, message_id, event_type, question_id, occurred_at, state, attempts, last_attempt_at, status,
      error, duration_ms, case when ${isPublic} then request_body end as request_body,
      case when ${isPublic} then response_body end as response_body,
      case when state = 'pending' and not exists (
        select from webhook_delivery earlier
        where earlier.webhook_id = delivery.webhook_id and earlier.resource = delivery.resource
          and earlier.state = 'pending' and earlier.id < delivery.id
      ) then queued.next_attempt_at end as next_attempt_at
    from (
      select * from webhook_delivery
      where webhook_id = ${webhookId} and ${isBefore(sql`id`, before)}
      order by id desc limit ${sql.lit(limit)}
    ) delivery
    left join webhook_queue queued on queued.webhook_id = delivery.webhook_id and queued.resource = delivery.resource
    order by delivery.id desc`.execute(db);
  return rows;
}

/** Makes a delivery pending again, with the same message id. False if there is none. */
export async function repeatDelivery(
  tx: Tx,
  { webhookId, id }: { webhookId: number; id: number },
): Promise<boolean> {
  const { rows } = await sql<{ resource: string }>`
    select resource from webhook_delivery where id = ${id} and webhook_id = ${webhookId}`.execute(tx);
  const resource = rows[0]?.resource;
  if (resource === undefined) return false;
  // The queue is locked before the delivery, as by the sender.
  await sql`
    insert into webhook_queue (webhook_id, resource) values (${webhookId}, ${resource})
    on conflict (webhook_id, resource) do update set next_attempt_at = case
      when webhook_queue.claim is null then now() else webhook_queue.next_attempt_at end`.execute(tx);
  await sql`update webhook_delivery set state = 'pending', first_attempt_at = null, attempts = 0 where id = ${id}`.execute(
    tx,
  );
  return true;
}
