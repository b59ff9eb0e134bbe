import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Tx } from '#server/platform/database.ts';
import { ProblemError } from '#server/platform/errors.ts';
import type { Viewer } from '#server/platform/http.ts';

/** How a post is asked for: by whom, under which key (undefined: not repeatable), with which content. */
export type Posting = { viewer: Viewer; key: string | undefined; request: unknown };

/**
 * Runs `post` once for a member and key, and returns the id of what it posted; a repetition, also one that arrives
 * while the first is still running, gets the same id (DECISIONS section 4.3).
 * @throws ProblemError 'key-reused' when the key was used for a different request.
 */
export async function postOnce(tx: Tx, { viewer, key, request }: Posting, post: () => Promise<number>) {
  if (key === undefined) return post();
  const hash = createHash('sha256').update(JSON.stringify(request)).digest();
  // Waits for a running transaction with the same key to end.
  const { rows } = await sql`
    insert into idempotency_key (member_id, key, request_hash) values (${viewer.id}, ${key}, ${hash})
    on conflict do nothing returning key`.execute(tx);
  if (rows.length === 0) return earlierPost(tx, { viewer, key, hash });
  const id = await post();
  await sql`
    update idempotency_key set item_id = ${id} where member_id = ${viewer.id} and key = ${key}`.execute(tx);
  return id;
}

async function earlierPost(tx: Tx, { viewer, key, hash }: { viewer: Viewer; key: string; hash: Buffer }) {
  const earlier = await tx
    .selectFrom('idempotency_key')
    .select(['request_hash', 'item_id'])
    .where('member_id', '=', viewer.id)
    .where('key', '=', key)
    .executeTakeFirst();
  if (earlier === undefined || earlier.item_id === null)
    throw new ProblemError('unavailable', 'The same request is still being worked on.', { retryAfter: 1 });
  if (!hash.equals(earlier.request_hash))
    throw new ProblemError('key-reused', 'This idempotency key was used for a different request.');
  return earlier.item_id;
}
