import { type RawBuilder, sql } from 'kysely';
import type { Database, Queryable, Tx } from '#server/core/database.ts';
import type { WebhookEventType, WebhookFormat } from '#shared/integrations/webhook-events.ts';
import type { WebhookFailure } from '#shared/integrations/webhooks.ts';
import type { WebhookNotice } from './webhooks-events.ts';

export type EnabledWebhook = { id: number; events: string[]; tags: string[]; enabled_at: Date };

export async function hasEnabledWebhooks(db: Queryable): Promise<boolean> {
  const { rows } = await sql`select from webhook where is_enabled limit 1`.execute(db);
  return rows.length > 0;
}

/** Locks them, so that none is deleted or switched off before the deliveries are stored. A synonym stands for its tag. */
export async function listEnabledWebhooks(tx: Tx): Promise<EnabledWebhook[]> {
  const { rows } = await sql<EnabledWebhook>`
    select id, events, enabled_at, array(
        select coalesce(main.key, chosen) from unnest(tags) chosen
        left join tag on tag.key = chosen left join tag main on main.id = coalesce(tag.synonym_of, tag.id)
      ) as tags
    from webhook where is_enabled order by id for key share`.execute(tx);
  return rows;
}

/** The names of the tags of visible questions. */
export async function listTagsOfQuestions(
  tx: Tx,
  questionIds: readonly number[],
): Promise<ReadonlyMap<number, string[]>> {
  const { rows } = await sql<{ question_id: number; names: string[] }>`
    select question_id, array_agg(tag.name) as names from question_tag join tag on tag.id = tag_id
    where question_id = any(${[...questionIds]}::bigint[]) group by question_id`.execute(tx);
  return new Map(rows.map((row) => [row.question_id, row.names]));
}

/** Which of these web hooks have a delivery of which of these questions. */
export async function listReachedWebhooks(
  tx: Tx,
  { webhookIds, questionIds }: { webhookIds: readonly number[]; questionIds: readonly number[] },
): Promise<{ webhook_id: number; question_id: number }[]> {
  const { rows } = await sql<{ webhook_id: number; question_id: number }>`
    select webhook_id, question_id
    from unnest(${[...webhookIds]}::bigint[]) webhook_id, unnest(${[...questionIds]}::bigint[]) question_id
    where exists (
      select from webhook_delivery delivery
      where delivery.question_id = question_id.question_id and delivery.webhook_id = webhook_id.webhook_id
    )`.execute(tx);
  return rows;
}

export type NewDelivery = Omit<WebhookNotice, 'type' | 'tags'> & {
  type: WebhookEventType;
  webhookId: number;
  messageId: string;
  resource: string;
};

/** Stores deliveries in this order, and queues their resources. */
export async function insertDeliveries(tx: Tx, deliveries: readonly NewDelivery[]): Promise<void> {
  const rows = JSON.stringify(deliveries.map(({ at, ...each }) => ({ ...each, at: at.toISOString() })));
  await sql`
    insert into webhook_delivery (webhook_id, message_id, resource, event_type, question_id, answer_id, reply_id,
      member_id, occurred_at)
    select (d ->> 'webhookId')::bigint, d ->> 'messageId', d ->> 'resource', d ->> 'type',
      (d ->> 'questionId')::bigint, (d ->> 'answerId')::bigint, (d ->> 'replyId')::bigint,
      (d ->> 'memberId')::bigint, (d ->> 'at')::timestamptz
    from jsonb_array_elements(${rows}::jsonb) with ordinality list (d, position) order by position`.execute(
    tx,
  );
  const keys = [...new Map(deliveries.map((each) => [`${each.webhookId} ${each.resource}`, each])).values()];
  await queueResources(
    tx,
    sql`select * from unnest(${keys.map((each) => each.webhookId)}::bigint[], ${keys.map((each) => each.resource)}::text[])
      list (webhook_id, resource) order by 1, 2`,
  );
}

/**
 * Queues resources that are not queued yet. The update changes nothing, but waits for a node that takes the resource
 * out of the queue at the same moment.
 */
async function queueResources(tx: Tx, resources: RawBuilder<unknown>): Promise<void> {
  await sql`
    insert into webhook_queue (webhook_id, resource) ${resources}
    on conflict (webhook_id, resource) do update set resource = excluded.resource`.execute(tx);
}

/**
 * Removes the content of removed posts from the deliveries that are shown to admins. With an answer, its replies are no
 * longer public: not all deliveries about replies name the answer.
 */
export async function forgetRequestsOf(tx: Tx, removed: readonly WebhookNotice[]): Promise<void> {
  for (const { type, questionId, answerId, replyId } of removed) {
    const isAbout =
      type === 'question.removed'
        ? sql`true`
        : replyId === null
          ? sql`(answer_id = ${answerId}
              or (reply_id is not null and not exists (select from reply where id = webhook_delivery.reply_id)))`
          : sql`reply_id = ${replyId}`;
    await sql`
      update webhook_delivery set request_body = null, response_body = null
      where question_id = ${questionId} and request_body is not null and ${isAbout}`.execute(tx);
  }
}

export type ClaimedResource = { webhook_id: number; resource: string; claim: string };

/**
 * Claims resources whose next delivery is due, the longest waiting first, for one attempt each. Each is claimed by one
 * node until `leaseSeconds` have passed, so that another node continues if this one is killed.
 * @param running the number of attempts that this node runs now, by web hook
 */
export async function claimResources(
  db: Database,
  {
    running,
    perWebhook,
    leaseSeconds,
  }: { running: ReadonlyMap<number, number>; perWebhook: number; leaseSeconds: number },
): Promise<ClaimedResource[]> {
  const { rows } = await sql<ClaimedResource>`
    with due as materialized (
      select queued.webhook_id, queued.resource
      from webhook
      left join unnest(${[...running.keys()]}::bigint[], ${[...running.values()]}::int[]) busy (id, attempts)
        on busy.id = webhook.id
      cross join lateral (
        select webhook_id, resource from webhook_queue
        where webhook_id = webhook.id and next_attempt_at <= now()
        order by next_attempt_at limit greatest(0, ${perWebhook}::int - coalesce(busy.attempts, 0))
        for update skip locked
      ) queued
      where is_enabled and (paused_until is null or paused_until <= now())
    )
    update webhook_queue set claim = gen_random_uuid(),
      next_attempt_at = now() + make_interval(secs => ${leaseSeconds}::int)
    from due where webhook_queue.webhook_id = due.webhook_id and webhook_queue.resource = due.resource
    returning webhook_queue.webhook_id, webhook_queue.resource, claim::text as claim`.execute(db);
  return rows;
}

export type DeliveryRow = {
  id: number;
  webhook_id: number;
  webhook_name: string;
  message_id: string;
  event_type: WebhookEventType;
  question_id: number | null;
  answer_id: number | null;
  reply_id: number | null;
  member_id: number | null;
  occurred_at: Date;
  attempts: number;
  address: string;
  format: WebhookFormat;
  encrypted_secret: string;
  /** Replaced secrets that still sign, the newest first. */
  encrypted_old_secrets: string[];
};

/** Signatures with replaced secrets. Receivers limit the size of headers, and nobody replaces a secret as often. */
const maxOldSecrets = 20;

/** The next delivery of a claimed resource, with what is needed to send it. */
export async function findNextDelivery(
  db: Queryable,
  { webhook_id: webhookId, resource }: ClaimedResource,
): Promise<DeliveryRow | undefined> {
  const { rows } = await sql<DeliveryRow>`
    select delivery.id, webhook_id, webhook.name as webhook_name, message_id, event_type, question_id, answer_id,
      reply_id, member_id, occurred_at, attempts, address, format, encrypted_secret,
      array(
        select old.encrypted_secret from webhook_old_secret old
        where old.webhook_id = webhook.id and signs_until > now() order by old.id desc limit ${sql.lit(maxOldSecrets)}
      ) as encrypted_old_secrets
    from webhook_delivery delivery join webhook on webhook.id = webhook_id
    where webhook_id = ${webhookId} and resource = ${resource} and state = 'pending' and is_enabled
    order by delivery.id limit 1`.execute(db);
  return rows[0];
}

/**
 * Locks a claimed resource. False if another node has taken it over, or if the web hook was deleted. Locks are taken in
 * one order: web hook, queue, deliveries.
 */
export async function lockClaim(tx: Tx, claimed: ClaimedResource): Promise<boolean> {
  await sql`select from webhook where id = ${claimed.webhook_id} for key share`.execute(tx);
  const { rows } = await sql`
    select from webhook_queue
    where webhook_id = ${claimed.webhook_id} and resource = ${claimed.resource} and claim = ${claimed.claim}::uuid
    for update`.execute(tx);
  return rows.length > 0;
}

export type Attempt = {
  state: 'pending' | 'delivered' | 'failed' | 'skipped';
  status: number | null;
  error: WebhookFailure | null;
  durationMs: number | null;
  requestBody: string | null;
  /** The members whom the request names, as they were called when it was written. */
  named: readonly { id: number; name: string }[];
  responseBody: string | null;
};

/** Whether the post of a row of `webhook_delivery` can be read, or the event says no more than that it cannot. */
export const isPublic = sql`(
  (question_id is null or event_type = 'question.removed' or exists (select from question where id = question_id))
  and (answer_id is null or event_type = 'answer.removed' or exists (select from answer where id = answer_id))
  and (reply_id is null or event_type = 'reply.removed' or exists (
    select from reply where id = reply_id and deleted_at is null)))`;

/**
 * Stores the outcome of an attempt. Returns whether the first attempt was longer ago than `giveUpAfter`. The request is
 * not stored if a member whom it names was renamed meanwhile: former names are removed once, after the change.
 */
export async function recordAttempt(
  tx: Tx,
  { id, attempt, giveUpAfter }: { id: number; attempt: Attempt; giveUpAfter: string },
): Promise<{ attempts: number; isOverdue: boolean }> {
  const ids = attempt.named.map((member) => member.id);
  // Waits for changes of the names that are not committed.
  await sql`select from member where id = any(${ids}::bigint[]) order by id for share`.execute(tx);
  const namesAreCurrent = sql`not exists (
    select from unnest(${ids}::bigint[], ${attempt.named.map((member) => member.name)}::text[]) written (id, name)
    join member on member.id = written.id where member.display_name <> written.name
  )`;
  const { rows } = await sql<{ attempts: number; is_overdue: boolean }>`
    update webhook_delivery set state = ${attempt.state}, attempts = attempts + 1,
      first_attempt_at = coalesce(first_attempt_at, now()), last_attempt_at = now(), status = ${attempt.status},
      error = ${attempt.error}, duration_ms = ${attempt.durationMs}, response_body = ${attempt.responseBody},
      request_body = case when ${isPublic} and ${namesAreCurrent} then ${attempt.requestBody}::text end
    where id = ${id}
    returning attempts, first_attempt_at <= now() - ${giveUpAfter}::interval as is_overdue`.execute(tx);
  return { attempts: rows[0]?.attempts ?? 1, isOverdue: rows[0]?.is_overdue ?? false };
}

export async function giveUpDelivery(tx: Tx, id: number): Promise<void> {
  await sql`update webhook_delivery set state = 'failed' where id = ${id}`.execute(tx);
}

/** The resource is due again after a failed attempt. */
export async function postponeResource(tx: Tx, claimed: ClaimedResource, afterMs: number): Promise<void> {
  await sql`
    update webhook_queue set claim = null, next_attempt_at = now() + make_interval(secs => ${afterMs / 1_000}::float8)
    where webhook_id = ${claimed.webhook_id} and resource = ${claimed.resource}`.execute(tx);
}

/** The next delivery of the resource is due; without one, the resource leaves the queue. Call it in a later statement. */
export async function advanceResource(tx: Tx, { webhook_id: id, resource }: ClaimedResource): Promise<void> {
  const next = sql`exists (
    select from webhook_delivery where webhook_id = ${id} and resource = ${resource} and state = 'pending'
  )`;
  await sql`
    with done as (
      delete from webhook_queue where webhook_id = ${id} and resource = ${resource} and not ${next} returning resource
    )
    update webhook_queue set claim = null, next_attempt_at = now()
    where webhook_id = ${id} and resource = ${resource} and not exists (select from done)`.execute(tx);
}

/** Notes a success. Writes at most once a second, because many attempts may succeed at once. */
export async function noteSuccess(tx: Tx, id: number): Promise<void> {
  await sql`
    update webhook set delivered_at = now(), failing_since = null
    where id = ${id} and (failing_since is not null or delivered_at is null or delivered_at < now() - interval '1 second')`.execute(
    tx,
  );
}

/** Notes that a delivery was not needed any more. Without other failed deliveries, the web hook no longer fails. */
export async function noteSkipped(tx: Tx, id: number): Promise<void> {
  await sql`
    update webhook set failing_since = null
    where id = ${id} and failing_since is not null and not exists (
      select from webhook_delivery where webhook_id = ${id} and state = 'pending' and attempts > 0
    )`.execute(tx);
}

/** Notes a failure. Returns whether there was no success for `giveUpAfter`. */
export async function noteFailure(
  tx: Tx,
  { id, pauseMs, giveUpAfter }: { id: number; pauseMs: number | null; giveUpAfter: string },
): Promise<boolean> {
  const { rows } = await sql<{ is_overdue: boolean }>`
    update webhook set failing_since = coalesce(failing_since, now()),
      paused_until = case when ${pauseMs}::float8 is null then paused_until
        else greatest(paused_until, now() + make_interval(secs => ${(pauseMs ?? 0) / 1_000}::float8)) end
    where id = ${id}
    returning failing_since <= now() - ${giveUpAfter}::interval as is_overdue`.execute(tx);
  return rows[0]?.is_overdue ?? false;
}

/** Switches a web hook off. False if it was off. */
export async function stopWebhook(tx: Tx, id: number, reason: 'failures' | 'gone'): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update webhook set is_enabled = false, stop_reason = ${reason} where id = ${id} and is_enabled`.execute(
    tx,
  );
  return numAffectedRows === 1n;
}

/** Deliveries that one statement deletes. */
const batchSize = 5_000;

/** Deletes deliveries after 30 days, and deleted web hooks with theirs. */
export async function deleteOldDeliveries(
  db: Database,
  { limit = batchSize }: { limit?: number } = {},
): Promise<void> {
  for (let deleted = limit; deleted === limit;) {
    const { numAffectedRows } = await sql`
      delete from webhook_delivery where id in (
        (select delivery.id from webhook join webhook_delivery delivery on webhook_id = webhook.id
          where deleted_at is not null limit ${limit})
        union all
        (select delivery.id from webhook_delivery delivery join webhook on webhook.id = webhook_id
          where deleted_at is null and delivery.created_at < now() - interval '30 days'
            and (state <> 'pending' or not is_enabled)
          limit ${limit})
        limit ${limit}
      )`.execute(db);
    deleted = Number(numAffectedRows);
  }
  await sql`
    delete from webhook where deleted_at is not null
      and not exists (select from webhook_delivery where webhook_id = webhook.id)`.execute(db);
}
