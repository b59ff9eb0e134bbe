import type { PostKind } from '#shared/core/fields.ts';
import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Database, Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';

/** A request to post: by whom, with which key (undefined: not repeatable), of which kind and content. */
export type PostRequest = { viewer: Viewer; key: string | undefined; kind: PostKind; request: unknown };

/**
 * Runs `post` once per member and key, and returns the id of the post. A repetition returns the same id, even while the
 * first request is still running (docs/product.md 6.6).
 * @throws ProblemError 'key-reused' if the key was used for a different request, 'gone' if the post has been deleted
 * since
 */
export async function postOnce(tx: Tx, posting: PostRequest, post: () => Promise<number>) {
  const { viewer, key, kind } = posting;
  if (key === undefined) return post();
  const hash = hashOf(posting);
  // Waits for a running transaction with the same key.
  const { rows } = await sql`
    insert into idempotency_key (member_id, key, request_hash) values (${viewer.id}, ${key}, ${hash})
    on conflict do nothing returning key`.execute(tx);
  if (rows.length === 0) return readPostedId(tx, { viewer, key, kind, hash });
  const id = await post();
  await sql`
    update idempotency_key set post_id = ${id} where member_id = ${viewer.id} and key = ${key}`.execute(tx);
  return id;
}

/** Whether a member's key was used. A repetition posts nothing. */
export async function isKeyUsed(db: Database, memberId: number, key: string): Promise<boolean> {
  const earlier = await db
    .selectFrom('idempotency_key')
    .select('post_id')
    .where('member_id', '=', memberId)
    .where('key', '=', key)
    .executeTakeFirst();
  return earlier !== undefined;
}

/** The result of claiming the keys of several posts in one transaction. */
export type KeyClaims<Item> = {
  /** The posts to create: those without a key, and the first of each key. */
  added: Item[];
  /** The others. Look them up with `getPostedId` when all posts are stored. */
  repeated: Item[];
};

/**
 * Claims the keys of several posts in a fixed order, and waits for running transactions with the same keys. `claim` is
 * a query for `runPipelined`; pass its rows to `claims`.
 */
export function prepareKeyClaims<Item extends PostRequest>(postings: readonly Item[]) {
  const keyed = new Map<string, Item>();
  for (const posting of postings)
    if (posting.key !== undefined && !keyed.has(nameOf(posting))) keyed.set(nameOf(posting), posting);
  const wanted = [...keyed.values()];
  const claim = sql<ClaimedKey>`
    insert into idempotency_key (member_id, key, request_hash)
    select * from unnest(
      ${wanted.map(({ viewer }) => viewer.id)}::bigint[], ${wanted.map(({ key }) => key)}::text[],
      ${wanted.map(hashOf)}::bytea[]
    ) as wanted (member_id, key, request_hash) order by member_id, key
    on conflict do nothing returning member_id, key`;
  return {
    claim: keyed.size === 0 ? [] : [claim],
    claims: (rows: readonly ClaimedKey[]): KeyClaims<Item> => {
      const claimed = new Set(rows.map((row) => keyed.get(`${row.member_id} ${row.key}`)));
      const isAdded = (posting: Item) => posting.key === undefined || claimed.has(posting);
      return { added: postings.filter(isAdded), repeated: postings.filter((posting) => !isAdded(posting)) };
    },
  };
}

type ClaimedKey = { member_id: number; key: string };

/**
 * Stores the ids of the posts for the claimed keys. Releases the keys of refused posts (null). Run the statements in
 * this order.
 */
export function saveKeysStatements(
  posted: readonly { posting: PostRequest; id: number | null }[],
): RawBuilder<never>[] {
  const keyed = posted.filter(({ posting }) => posting.key !== undefined);
  if (keyed.length === 0) return [];
  const [members, keys] = [
    keyed.map(({ posting }) => posting.viewer.id),
    keyed.map(({ posting }) => posting.key),
  ];
  const saved = sql<never>`
    update idempotency_key existing set post_id = posted.id
    from unnest(${members}::bigint[], ${keys}::text[], ${keyed.map(({ id }) => id)}::bigint[])
      as posted (member_id, key, id)
    where existing.member_id = posted.member_id and existing.key = posted.key`;
  if (keyed.every(({ id }) => id !== null)) return [saved];
  const releasedKeys = sql<never>`
    delete from idempotency_key where post_id is null
      and (member_id, key) in (select * from unnest(${members}::bigint[], ${keys}::text[]))`;
  return [saved, releasedKeys];
}

/**
 * The id of the post of an earlier request with the same key.
 * @throws ProblemError as `postOnce` does
 */
export async function getPostedId(tx: Tx, posting: PostRequest): Promise<number> {
  const { viewer, key = '', kind } = posting;
  return readPostedId(tx, { viewer, key, kind, hash: hashOf(posting) });
}

const nameOf = ({ viewer, key }: PostRequest) => `${viewer.id} ${key}`;

const hashOf = ({ kind, request }: PostRequest) =>
  createHash('sha256')
    .update(JSON.stringify([kind, request]))
    .digest();

type Repetition = { viewer: Viewer; key: string; kind: PostKind; hash: Buffer };

/** Days a key is stored: longer than a post waits in the offline queue of a browser. */
const retentionDays = 14;

/** Deletes old keys, a limited number per call. */
export async function deleteOldKeys(db: Database): Promise<void> {
  await sql`
    delete from idempotency_key where (member_id, key) in (
      select member_id, key from idempotency_key
      where created_at < now() - make_interval(days => ${retentionDays}) order by created_at limit 10000
    )`.execute(db);
}

async function readPostedId(tx: Tx, { viewer, key, kind, hash }: Repetition): Promise<number> {
  const earlier = await tx
    .selectFrom('idempotency_key')
    .select(['request_hash', 'post_id'])
    .where('member_id', '=', viewer.id)
    .where('key', '=', key)
    .executeTakeFirst();
  if (earlier === undefined || earlier.post_id === null)
    throw new ProblemError('request-in-progress', { retryAfter: 1 });
  if (!hash.equals(earlier.request_hash)) throw new ProblemError('key-reused');
  if (!(await postExists(tx, kind, earlier.post_id))) throw new ProblemError('post-deleted-since');
  return earlier.post_id;
}

async function postExists(tx: Tx, kind: PostKind, id: number): Promise<boolean> {
  const notDeleted = kind === 'reply' ? sql`and deleted_at is null` : sql``;
  const { rows } = await sql`select 1 from ${sql.table(kind)} where id = ${id} ${notDeleted}`.execute(tx);
  return rows.length > 0;
}
