import pLimit from 'p-limit';
import { overloadedError, ProblemError } from '#server/core/errors.ts';
import { runLimitedProcess } from '#server/core/limited-process.ts';
import { serverLimits } from '#shared/core/limits.ts';
import type { SitePictureName } from '#shared/core/site-pictures.ts';
import type { PictureSize } from '#shared/core/uploads.ts';

export type EncodedFile = PictureSize & { content: Uint8Array };

/** A picture in a text, or the square that is shown for a member. */
export type UploadKind = 'picture' | 'avatar';

/** What is made of a picture: files of an upload, one of a logo, or the `iconFiles` of an icon in their order. */
export type EncodingKind = UploadKind | SitePictureName;

/** The messages to and from the process `uploads-encoder.ts`. */
export type EncodeRequest = { bytes: Uint8Array; kind: EncodingKind };
export type EncodeReply =
  | { files: EncodedFile[] }
  | { error: 'upload-not-picture' | 'upload-too-many-pixels' | 'upload-damaged' };

/** Pictures that this node decodes at the same time, and those that wait. */
const processes = pLimit(2);
const maxWaiting = 20;

/** Milliseconds and bytes after which the process ends. Photos take a few seconds and up to 325 MiB. */
const encoderLimits = { maxMs: 30_000, maxMemory: 512 * 1024 * 1024 };

/**
 * Decodes a picture and encodes it as WebP in several sizes, the largest last, as a logo (WebP and PNG) or as an icon
 * (PNG), in a process of its own.
 * @throws ProblemError for files that are refused, and if too many pictures wait
 */
export async function encodePicture(
  bytes: Uint8Array,
  kind: EncodingKind = 'picture',
  within = encoderLimits,
): Promise<EncodedFile[]> {
  if (!hasPictureSignature(bytes)) throw new ProblemError('upload-not-picture');
  if (processes.pendingCount >= maxWaiting) throw overloadedError();
  const reply = await processes(() => runEncoder({ bytes, kind }, within));
  if (reply === null) throw new ProblemError('upload-too-expensive');
  if ('files' in reply) return reply.files;
  if (reply.error === 'upload-too-many-pixels')
    throw new ProblemError(reply.error, { params: { max: serverLimits.uploadMegapixels } });
  throw new ProblemError(reply.error);
}

/** Whether the first bytes are those of JPEG, PNG, GIF or WebP, so that other files need no process. */
export function hasPictureSignature(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  return /^(?:\u00FF\u00D8\u00FF|\u0089PNG\r\n|GIF8[79]a|RIFF[^]{4}WEBP)/.test(start);
}

const runEncoder = (request: EncodeRequest, within: typeof encoderLimits) =>
  runLimitedProcess<EncodeReply>(new URL('uploads-encoder.ts', import.meta.url), request, within);
