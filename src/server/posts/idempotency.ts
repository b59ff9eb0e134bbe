import type { PostKind } from '#shared/core/fields.ts';
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Database, Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import type { NewPostId } from './held-posts.ts';
import { heldPostExists } from './held-posts-queries.ts';

/** A request to post: by whom, with which key (undefined: not repeatable), of which kind and content. */
export type PostRequest = { viewer: Viewer; key: string | undefined; kind: PostKind; request: unknown };

/**
 * Runs `post` once per member and key, and returns the id of the post, which may be held. A repetition returns the same
 * id, even while the first request is still running (docs/product.md 6.6).
 * @throws ProblemError 'key-reused' if the key was used for a different request, 'gone' if the post has been deleted
 * since
 */
export async function postOnce(
  tx: Tx,
  posting: PostRequest,
  post: () => Promise<NewPostId>,
): Promise<NewPostId> {
  const { viewer, key, kind } = posting;
  if (key === undefined) return post();
  const hash = hashOf(posting);
  // Waits for a running transaction with the same key.
  const { rows } = await sql`
    insert into idempotency_key (member_id, key, request_hash) values (${viewer.id}, ${key}, ${hash})
    on conflict do nothing returning key`.execute(tx);
  if (rows.length === 0) return readPostedId(tx, { viewer, key, kind, hash });
  const posted = await post();
  await sql`
    update idempotency_key set post_id = ${posted.id} where member_id = ${viewer.id} and key = ${key}`.execute(
    tx,
  );
  return posted;
}

/** Whether a member's key was used. A repetition posts nothing. */
export async function isKeyUsed(db: Database, memberId: number, key: string): Promise<boolean> {
  const { rows } = await sql`
    select from idempotency_key where member_id = ${memberId} and key = ${key}`.execute(db);
  return rows.length > 0;
}

/** A claimed key, with the id that was reserved for the post. */
export type ClaimedKey = { member_id: number; key: string; post_id: number };

/**
 * Claims the keys of several posts in a fixed order, and waits for running transactions with the same keys.
 * @param sequence of the ids of these posts
 */
export const claimKeysStatement = (postings: readonly PostRequest[], sequence: string) => sql<ClaimedKey>`
  insert into idempotency_key (member_id, key, request_hash, post_id)
  select member_id, key, request_hash, nextval(${sequence}) from unnest(
    ${postings.map(({ viewer }) => viewer.id)}::bigint[], ${postings.map(({ key }) => key)}::text[],
    ${postings.map(hashOf)}::bytea[]
  ) as wanted (member_id, key, request_hash) order by member_id, key
  on conflict do nothing returning member_id, key, post_id`;

/**
 * Gives each post its id. `added` are the posts to create: those without a key, and the first of each claimed key. Look
 * up the others, `repeated`, with `getPostedId` when all posts are stored.
 * @param ids for the posts without a key
 */
export function assignIds<Item extends PostRequest>(
  postings: readonly Item[],
  { claimed, ids }: { claimed: readonly ClaimedKey[]; ids: readonly number[] },
): { added: (Item & { id: number })[]; repeated: Item[] } {
  const unkeyed = [...ids];
  const keyed = new Map(claimed.map((row) => [`${row.member_id} ${row.key}`, row.post_id]));
  const added: (Item & { id: number })[] = [];
  const repeated: Item[] = [];
  for (const posting of postings) {
    const id = posting.key === undefined ? unkeyed.shift() : keyed.get(nameOf(posting));
    keyed.delete(nameOf(posting));
    if (id === undefined) repeated.push(posting);
    else added.push({ ...posting, id });
  }
  return { added, repeated };
}

/** Releases the keys of refused posts, for later requests. */
export const releaseKeysStatement = (refused: readonly PostRequest[]) => {
  const keyed = refused.filter(({ key }) => key !== undefined);
  return sql`
    delete from idempotency_key where (member_id, key) in (select * from unnest(
      ${keyed.map(({ viewer }) => viewer.id)}::bigint[], ${keyed.map(({ key }) => key)}::text[]
    ))`;
};

/**
 * The id of the post of an earlier request with the same key.
 * @throws ProblemError as `postOnce` does
 */
export async function getPostedId(tx: Tx, posting: PostRequest): Promise<NewPostId> {
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

/** Deletes old keys in batches. */
export async function deleteOldKeys(db: Database): Promise<void> {
  const limit = 10_000;
  let deleted = limit;
  while (deleted === limit) {
    const { rows } = await sql`
      delete from idempotency_key where (member_id, key) in (
        select member_id, key from idempotency_key
        where created_at < now() - make_interval(days => ${retentionDays}) order by created_at limit ${limit}
      ) returning 1`.execute(db);
    deleted = rows.length;
  }
}

async function readPostedId(tx: Tx, { viewer, key, kind, hash }: Repetition): Promise<NewPostId> {
  const { rows } = await sql<{ request_hash: Buffer; post_id: number | null }>`
    select request_hash, post_id from idempotency_key where member_id = ${viewer.id} and key = ${key}`.execute(
    tx,
  );
  const [earlier] = rows;
  if (earlier === undefined || earlier.post_id === null)
    throw new ProblemError('request-in-progress', { retryAfter: 1 });
  if (!hash.equals(earlier.request_hash)) throw new ProblemError('key-reused');
  const id = earlier.post_id;
  if (await postExists(tx, kind, id)) return { id, held: false };
  if (await heldPostExists(tx, { kind, id })) return { id, held: true };
  throw new ProblemError('post-deleted-since');
}

async function postExists(tx: Tx, kind: PostKind, id: number): Promise<boolean> {
  const notDeleted = kind === 'reply' ? sql`and deleted_at is null` : sql``;
  const { rows } = await sql`select 1 from ${sql.table(kind)} where id = ${id} ${notDeleted}`.execute(tx);
  return rows.length > 0;
}
