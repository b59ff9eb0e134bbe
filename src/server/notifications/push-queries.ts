import { sql } from 'kysely';
import type { Queryable, Tx } from '#server/core/database.ts';
import type { NewPushSubscription } from '#shared/notifications/preferences.ts';

/** Saves the subscription of a session's browser. A browser that belonged to another member is moved to this one. */
export async function saveSubscription(
  tx: Tx,
  { memberId, sessionId, device }: { memberId: number; sessionId: number; device: NewPushSubscription },
): Promise<void> {
  const { endpoint, p256dh, auth } = device;
  // Of two sessions that save one endpoint at the same time, the second waits, and then finds the row of the first.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`push_subscription:${endpoint}`}, 0))`.execute(
    tx,
  );
  await sql`delete from push_subscription where endpoint = ${endpoint} and session_id <> ${sessionId}`.execute(
    tx,
  );
  await sql`
    insert into push_subscription (member_id, session_id, endpoint, p256dh, auth)
    values (${memberId}, ${sessionId}, ${endpoint}, ${p256dh}, ${auth})
    on conflict (session_id) do update
    -- With a new id, because a push that is on its way may find the old endpoint gone.
    set id = default, created_at = now(), member_id = excluded.member_id, endpoint = excluded.endpoint, p256dh = excluded.p256dh, auth = excluded.auth`.execute(
    tx,
  );
}

/** Moves the subscription of the session with a token to a new session of the same member. */
export async function moveSubscription(
  tx: Tx,
  { token, to }: { token: string; to: { id: number; memberId: number } },
): Promise<void> {
  await sql`
    update push_subscription set session_id = ${to.id}
    where session_id = (select id from session where token = ${token} and member_id = ${to.memberId})`.execute(
    tx,
  );
}

/** Deletes all but a member's newest subscriptions. */
export async function deleteOldestSubscriptions(
  tx: Tx,
  memberId: number,
  { limit }: { limit: number },
): Promise<void> {
  await sql`
    delete from push_subscription where id = any(array(
      select id from push_subscription where member_id = ${memberId} order by id desc offset ${limit}
    ))`.execute(tx);
}

export async function hasSubscription(db: Queryable, sessionId: number): Promise<boolean> {
  const { rows } = await sql`select from push_subscription where session_id = ${sessionId}`.execute(db);
  return rows.length > 0;
}

export async function deleteSessionSubscription(db: Queryable, sessionId: number): Promise<void> {
  await sql`delete from push_subscription where session_id = ${sessionId}`.execute(db);
}

export async function deleteSubscription(db: Queryable, id: number): Promise<void> {
  await sql`delete from push_subscription where id = ${id}`.execute(db);
}

/** The devices of a member whose session is active. */
export async function listDevices(
  db: Queryable,
  memberId: number,
): Promise<({ id: number } & NewPushSubscription)[]> {
  const { rows } = await sql<{ id: number } & NewPushSubscription>`
    select push_subscription.id, endpoint, p256dh, auth
    from push_subscription join session on session.id = session_id
    where push_subscription.member_id = ${memberId} and session.expires_at > now()
    order by push_subscription.id`.execute(db);
  return rows;
}

/** Members with an unread notification to push that is at least `seconds` old, in the order of their ids after `after`. */
export async function listMembersToPush(
  tx: Tx,
  { seconds, after, limit }: { seconds: number; after: number; limit: number },
): Promise<number[]> {
  const { rows } = await sql<{ recipient_id: number }>`
    select distinct recipient_id from notification
    where pending_push and read_at is null and created_at <= now() - make_interval(secs => ${seconds})
      and recipient_id > ${after}
    order by recipient_id limit ${limit}`.execute(tx);
  return rows.map((row) => row.recipient_id);
}

/** Clears pushes that are no longer needed because the notification was read or has expired. */
export async function clearExpiredPushes(db: Queryable, { hours }: { hours: number }): Promise<void> {
  await sql`
    update notification set pending_push = false
    where pending_push and (read_at is not null or created_at < now() - make_interval(hours => ${hours}))`.execute(
    db,
  );
}
