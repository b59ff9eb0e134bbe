import type { PostKind } from '#shared/core/fields.ts';
import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Database, Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';

/** How a post is asked for: by whom, under which key (undefined: not repeatable), of which kind and content. */
export type PostRequest = { viewer: Viewer; key: string | undefined; kind: PostKind; request: unknown };

/**
 * Runs `post` once for a member and key, and returns the id of what it posted; a repetition, also one that arrives
 * while the first is still running, gets the same id (docs/product.md 6.6).
 * @throws ProblemError 'key-reused' when the key was used for a different request, 'gone' when what it posted was
 * deleted since: it is not posted again.
 */
export async function postOnce(tx: Tx, posting: PostRequest, post: () => Promise<number>) {
  const { viewer, key, kind } = posting;
  if (key === undefined) return post();
  const hash = hashOf(posting);
  // Waits for a running transaction with the same key to end.
  const { rows } = await sql`
    insert into idempotency_key (member_id, key, request_hash) values (${viewer.id}, ${key}, ${hash})
    on conflict do nothing returning key`.execute(tx);
  if (rows.length === 0) return readPostedId(tx, { viewer, key, kind, hash });
  const id = await post();
  await sql`
    update idempotency_key set post_id = ${id} where member_id = ${viewer.id} and key = ${key}`.execute(tx);
  return id;
}

/** Whether something was posted with a member's key: what repeats it posts nothing. */
export async function isKeyUsed(db: Database, memberId: number, key: string): Promise<boolean> {
  const earlier = await db
    .selectFrom('idempotency_key')
    .select('post_id')
    .where('member_id', '=', memberId)
    .where('key', '=', key)
    .executeTakeFirst();
  return earlier !== undefined;
}

/** `postOnce` for many posts of one transaction. */
export type KeyClaims<Item> = {
  /** Those that are to be posted: without a key, or the first with theirs. */
  fresh: Item[];
  /** The others, to be looked up by `earlier` when all is posted. */
  repeated: Item[];
};

/**
 * Takes the keys of postings, in one order on all nodes; waits for running transactions with one of them to end. The
 * statement is to be run with others, and its rows say which are claimed.
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
      const isFresh = (posting: Item) => posting.key === undefined || claimed.has(posting);
      return { fresh: postings.filter(isFresh), repeated: postings.filter((posting) => !isFresh(posting)) };
    },
  };
}

type ClaimedKey = { member_id: number; key: string };

/** Notes what was posted with the keys claimed; keys whose posting was refused (null) are free again. To be run in this order. */
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
    update idempotency_key kept set post_id = posted.id
    from unnest(${members}::bigint[], ${keys}::text[], ${keyed.map(({ id }) => id)}::bigint[])
      as posted (member_id, key, id)
    where kept.member_id = posted.member_id and kept.key = posted.key`;
  if (keyed.every(({ id }) => id !== null)) return [saved];
  const freed = sql<never>`
    delete from idempotency_key where post_id is null
      and (member_id, key) in (select * from unnest(${members}::bigint[], ${keys}::text[]))`;
  return [saved, freed];
}

/** What an earlier request with the same key posted. @throws ProblemError as `postOnce` does */
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

/** Days a key is remembered: longer than any queue of a browser waits for a connection. */
const retentionDays = 14;

/** Forgets old keys, a bounded number at a time. */
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
    throw new ProblemError('unavailable', 'The same request is still being worked on.', { retryAfter: 1 });
  if (!hash.equals(earlier.request_hash))
    throw new ProblemError('key-reused', 'This idempotency key was used for a different request.');
  if (!(await postExists(tx, kind, earlier.post_id)))
    throw new ProblemError('gone', 'What this request posted has been deleted since.');
  return earlier.post_id;
}

async function postExists(tx: Tx, kind: PostKind, id: number): Promise<boolean> {
  const living = kind === 'reply' ? sql`and deleted_at is null` : sql``;
  const { rows } = await sql`select 1 from ${sql.table(kind)} where id = ${id} ${living}`.execute(tx);
  return rows.length > 0;
}
