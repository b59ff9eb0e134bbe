import { createHash, randomBytes } from 'node:crypto';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { limits } from '#shared/core/limits.ts';
import { findUploadNames, type UploadFile } from '#shared/core/uploads.ts';
import { encodePicture } from './uploads-encoding.ts';
import {
  countUploadedBytes,
  deleteUnusedUploads,
  findUploadFile,
  insertUpload,
  insertUploadReferences,
  touchUpload,
} from './uploads-queries.ts';

/**
 * Stores a picture. The same file again returns the same upload. Returns its largest file.
 * @throws ProblemError for files that are refused, and if the member has no space left
 */
export async function uploadPicture(
  db: Database,
  { viewer, bytes }: { viewer: Viewer; bytes: Uint8Array },
): Promise<UploadFile> {
  const hash = createHash('sha256').update(bytes).digest();
  const content = { memberId: viewer.id, hash };
  const known = await touchUpload(db, content);
  if (known !== undefined) return known;
  if ((await countUploadedBytes(db, viewer.id)) >= limits.uploadQuotaMegabytes * 1_000_000)
    throw new ProblemError('upload-quota', { params: { max: limits.uploadQuotaMegabytes } });
  const files = await encodePicture(bytes);
  const size = files.at(-1);
  if (size === undefined) throw new Error('the encoder returned no file');
  const name = randomBytes(16).toString('base64url');
  return transaction(db, (tx) => insertUpload(tx, { ...content, name, size, files }));
}

/**
 * Returns the WebP of a file.
 * @throws ProblemError 'not-found' for files that do not exist or that the viewer may not see
 */
export async function readUpload(
  db: Database,
  { file, viewer }: { file: UploadFile; viewer: Viewer | null },
): Promise<Buffer> {
  const isModerator = viewer?.memberStatus.role === 'moderator';
  const content = await findUploadFile(db, { file, viewer: { id: viewer?.id ?? 0, isModerator } });
  if (content === undefined) throw new ProblemError('upload-not-found');
  return content;
}

/** Stores which uploads a post shows, when it is written or edited. */
export async function saveUploadReferences(
  tx: Tx,
  { post, text }: { post: PostRef; text: string },
): Promise<void> {
  const names = findUploadNames(text);
  if (names.length > 0) await insertUploadReferences(tx, { post, names });
}

/** Hours for which an upload that no post or draft shows is stored. */
const unusedHours = 24;

/** Deletes unused uploads in batches. */
export async function cleanUpUploads(db: Database): Promise<void> {
  while ((await deleteUnusedUploads(db, { hours: unusedHours, limit: 500 })) === 500);
}
