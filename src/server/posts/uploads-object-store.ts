import { randomUUID } from 'node:crypto';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { PictureStore } from '#server/core/config.ts';
import type { Database } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { JobDefinition } from '#server/core/job-queue.ts';
import { type ObjectStore, ObjectStoreError } from '#server/core/object-store.ts';
import {
  assignObjectKeys,
  type FileRef,
  forgetDeletedObjects,
  listDeletedObjects,
  listObjectFiles,
  readDatabaseId,
  removeContent,
  restoreContent,
  type StoredFile,
} from './uploads-object-store-queries.ts';

export type ObjectStoreDeps = { db: Database; objectStore: ObjectStore; pictureStore: PictureStore };

/** Files that are moved at the same time, and objects that are deleted at the same time. */
const concurrency = 4;
const batchSize = 16;

/** A run of the job ends after this time; the next minute continues. */
const maxRunMs = 45_000;

/**
 * The job that moves the files of pictures to the configured store, and deletes objects whose file was deleted. An upload
 * is stored in the database first, in its transaction, and so works while the object store does not.
 */
export function createObjectStoreJob({ log, ...deps }: ObjectStoreDeps & { log: Logger }): JobDefinition {
  let wasOwner = true;
  return {
    name: 'move-pictures',
    retries: { limit: 0, delaySeconds: 1, maxDelaySeconds: 1 },
    timeoutSeconds: 120,
    concurrency: 1,
    runsEvery: 'minute',
    async run() {
      const endsAt = Date.now() + maxRunMs;
      const isOwner = await updateObjectStore(deps, () => Date.now() < endsAt);
      if (wasOwner && !isOwner)
        log.warn(
          'The bucket belongs to another database: no picture is moved there, and none is deleted there.',
        );
      wasOwner = isOwner;
    },
  };
}

/**
 * Moves files and deletes objects, as far as the bucket belongs to this database. The first database that uses a bucket
 * becomes its owner. Returns whether this one is the owner.
 * @throws ObjectStoreError
 */
export async function updateObjectStore(
  deps: ObjectStoreDeps,
  mayContinue: () => boolean = () => true,
): Promise<boolean> {
  const { db, objectStore, pictureStore } = deps;
  if ((await findBucketOwner(deps)) === null) {
    // A key that may write but not read would replace the owner that it cannot see.
    await probeObjectStore(objectStore);
    await objectStore.put(ownerKey, Buffer.from(await readDatabaseId(db)));
  }
  // Read again, because another database may have written at the same time.
  const owner = await findBucketOwner(deps);
  const isOwner = owner === 'this database';
  if (isOwner || pictureStore === 'database') await movePictures(deps, mayContinue);
  if (isOwner) await deleteObjects(deps, mayContinue);
  return isOwner;
}

/**
 * Writes, reads and deletes an object.
 * @throws ObjectStoreError if the store or the rights of the key do not allow this
 */
export async function probeObjectStore(objectStore: ObjectStore): Promise<void> {
  const key = `probe-${randomUUID()}`;
  await objectStore.put(key, Buffer.from(key));
  try {
    const found = await objectStore.get(key);
    if (found?.toString() !== key) throw new ObjectStoreError('an object that was written could not be read');
  } finally {
    await objectStore.delete(key);
  }
}

/** The object that names the database whose pictures are in the bucket. */
export const ownerKey = 'owner.txt';

/** Returns the database that the bucket belongs to; null if no database has used it yet. Changes nothing. */
export async function findBucketOwner({
  db,
  objectStore,
}: Pick<ObjectStoreDeps, 'db' | 'objectStore'>): Promise<'this database' | 'another database' | null> {
  const owner = await objectStore.get(ownerKey).catch((error: unknown) => {
    // AWS responds so for an object that does not exist, if the key has no right to list the bucket.
    if (error instanceof ObjectStoreError && (error.cause as Error).name === 'AccessDenied') return undefined;
    throw error;
  });
  if (owner === undefined) return null;
  return owner.toString() === (await readDatabaseId(db)) ? 'this database' : 'another database';
}

/**
 * Moves files to the configured store until all are there, or `mayContinue` returns false. A killed run loses nothing:
 * a content is removed once its object is complete.
 * @throws ObjectStoreError
 */
export async function movePictures(
  { db, objectStore, pictureStore }: ObjectStoreDeps,
  mayContinue = () => true,
): Promise<number> {
  const limit = pLimit(concurrency);
  let after: FileRef = { uploadId: 0, width: 0 };
  let moved = 0;
  while (mayContinue()) {
    const page = { after, limit: batchSize };
    const files = pictureStore === 's3' ? await assignObjectKeys(db, page) : await listObjectFiles(db, page);
    const last = files.at(-1);
    if (last === undefined) break;
    await limit.map(files, move);
    moved += files.length;
    after = last;
  }
  return moved;

  async function move(file: StoredFile): Promise<void> {
    if (file.content !== null) {
      await objectStore.put(file.key, file.content);
      return removeContent(db, file);
    }
    const content = await objectStore.get(file.key);
    // A file without an object cannot be moved.
    if (content !== undefined) await restoreContent(db, file, content);
  }
}

/**
 * Deletes objects whose file was deleted.
 * @throws ObjectStoreError
 */
export async function deleteObjects(
  { db, objectStore }: Pick<ObjectStoreDeps, 'db' | 'objectStore'>,
  mayContinue = () => true,
): Promise<void> {
  const limit = pLimit(concurrency);
  while (mayContinue()) {
    const keys = await listDeletedObjects(db, 100);
    if (keys.length === 0) return;
    await limit.map(keys, (key) => objectStore.delete(key));
    await forgetDeletedObjects(db, keys);
  }
}

/**
 * Returns the content of a file, from the object store if the database does not have it.
 * @throws ProblemError 'upload-not-found' if there is no such object; 'picture-store-unavailable' if the store does not
 * respond or is not configured
 */
export async function readFileContent(
  file: { content: Buffer | null; key: string | null },
  objectStore: ObjectStore | undefined,
): Promise<Buffer> {
  if (file.content !== null) return file.content;
  if (file.key === null) throw new ProblemError('upload-not-found');
  if (objectStore === undefined) throw new ProblemError('picture-store-unavailable', { retryAfter: 60 });
  try {
    const content = await objectStore.get(file.key);
    if (content === undefined) throw new ProblemError('upload-not-found');
    return content;
  } catch (error) {
    if (!(error instanceof ObjectStoreError)) throw error;
    throw new ProblemError('picture-store-unavailable', { retryAfter: 10 });
  }
}
