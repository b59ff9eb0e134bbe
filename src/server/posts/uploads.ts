import { createHash, randomBytes } from 'node:crypto';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { publishAll } from '#server/core/events.ts';
import type { Viewer } from '#server/core/http.ts';
import type { ObjectStore } from '#server/core/object-store.ts';
import { canModerate } from '#shared/identity/roles.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { serverLimits } from '#shared/core/limits.ts';
import { findUploadNames, type UploadFile } from '#shared/core/uploads.ts';
import { buildProfileEvents } from './posts-events.ts';
import { type EncodedFile, encodePicture, type UploadKind } from './uploads-encoding.ts';
import { readFileContent } from './uploads-object-store.ts';
import {
  countUploadedBytes,
  deleteAvatar,
  deleteUnusedUploads,
  findLargestFile,
  findUploadFile,
  insertUpload,
  insertUploadReferences,
  type OwnerIds,
  setAvatar,
  touchUpload,
  type UploadContent,
} from './uploads-queries.ts';

/**
 * Stores a picture. The same file again returns the same upload. Returns its largest file.
 * @throws ProblemError for files that are refused, and if the member has no space left
 */
export async function uploadPicture(
  db: Database,
  { viewer, bytes }: { viewer: Viewer; bytes: Uint8Array },
): Promise<UploadFile> {
  const content = identify({ viewer, bytes, kind: 'picture' });
  const known = await touchUpload(db, content);
  if (known !== undefined) return known;
  if ((await countUploadedBytes(db, viewer.id)) >= serverLimits.uploadQuotaMegabytes * 1_000_000)
    throw new ProblemError('upload-quota', { params: { max: serverLimits.uploadQuotaMegabytes } });
  const files = await encodePicture(bytes);
  return transaction(db, (tx) => insertUpload(tx, { ...content, ...nameFiles(files) }));
}

/**
 * Stores a picture that belongs to no member, for imported posts. Returns its largest file.
 * @param save runs in the same transaction
 * @throws ProblemError for files that are refused
 */
export async function storeImportedPicture(
  db: Database,
  { bytes, save }: { bytes: Uint8Array; save: (tx: Tx, upload: UploadFile) => Promise<void> },
): Promise<UploadFile> {
  const content: UploadContent = { memberId: null, kind: 'picture', hash: hashOf(bytes) };
  const known = await touchUpload(db, content);
  const files = known === undefined ? await encodePicture(bytes) : [];
  return transaction(db, async (tx) => {
    const upload = known ?? (await insertUpload(tx, { ...content, ...nameFiles(files) }));
    await save(tx, upload);
    return upload;
  });
}

/**
 * Stores a picture as the viewer's avatar, instead of the one before. Returns its name.
 * @throws ProblemError for files that are refused
 */
export async function uploadAvatar(
  db: Database,
  { viewer, bytes }: { viewer: Viewer; bytes: Uint8Array },
): Promise<string> {
  const content = identify({ viewer, bytes, kind: 'avatar' });
  const known = await touchUpload(db, content);
  if (known !== undefined) return known.name;
  const files = await encodePicture(bytes, 'avatar');
  return transaction(db, async (tx) => {
    const { name } = await insertUpload(tx, { ...content, ...nameFiles(files) });
    if (!(await setAvatar(tx, { memberId: viewer.id, name }))) throw new ProblemError('signed-out');
    await publishAvatar(tx, viewer.id);
    return name;
  });
}

/** Returns false if the member has no avatar. */
export async function removeAvatarOf(tx: Tx, memberId: number): Promise<boolean> {
  const isRemoved = await deleteAvatar(tx, memberId);
  if (isRemoved) await publishAvatar(tx, memberId);
  return isRemoved;
}

/** An avatar is shown wherever the name is. */
async function publishAvatar(tx: Tx, memberId: number): Promise<void> {
  const renamed = { topic: `profile:${memberId}`, event: { kind: 'member-renamed' } } as const;
  await publishAll(tx, [...buildProfileEvents([memberId]), renamed]);
}

function identify(upload: { viewer: Viewer; bytes: Uint8Array; kind: UploadKind }): UploadContent {
  return { memberId: upload.viewer.id, kind: upload.kind, hash: hashOf(upload.bytes) };
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

/** Names an upload and its size, which is that of its largest file. */
function nameFiles(files: readonly EncodedFile[]) {
  const size = files.at(-1);
  if (size === undefined) throw new Error('the encoder returned no file');
  return { name: randomBytes(16).toString('base64url'), size, files };
}

/**
 * Returns the WebP of a file.
 * @throws ProblemError 'upload-not-found' for files that do not exist or that the viewer may not see;
 * 'picture-store-unavailable' if the object store does not respond
 */
export async function readUpload(
  { db, objectStore }: { db: Database; objectStore: ObjectStore | undefined },
  { file, viewer }: { file: UploadFile; viewer: Viewer | null },
): Promise<Buffer> {
  // With an API token, moderators see the pictures that members see.
  const isModerator = viewer?.tokenId === null && canModerate(viewer.memberStatus.role);
  const found = await findUploadFile(db, { file, viewer: { id: viewer?.id ?? 0, isModerator } });
  if (found === undefined) throw new ProblemError('upload-not-found');
  return readFileContent(found, objectStore);
}

/**
 * Returns the WebP of the largest file of an upload; empty if it was deleted meanwhile.
 * @throws ProblemError if the object store does not respond
 */
export async function readLargestFile(
  { db, objectStore }: { db: Database; objectStore: ObjectStore | undefined },
  name: string,
): Promise<Buffer> {
  const found = await findLargestFile(db, name);
  return found === undefined ? Buffer.alloc(0) : readFileContent(found, objectStore);
}

/**
 * Stores which uploads a post shows, when it is written or edited. Those that it showed before stay.
 * @param ownerIds who wrote the text
 */
export async function saveUploadReferences(
  tx: Tx,
  { post, text, ownerIds }: { post: PostRef; text: string; ownerIds: OwnerIds },
): Promise<void> {
  const names = findUploadNames(text);
  if (names.length > 0) await insertUploadReferences(tx, { post, names, ownerIds });
}

/** Hours for which an upload that no post or draft shows is stored. */
const unusedHours = 24;

/** Deletes unused uploads in batches. */
export async function cleanUpUploads(db: Database): Promise<void> {
  while ((await deleteUnusedUploads(db, { hours: unusedHours, limit: 500 })) === 500);
}
