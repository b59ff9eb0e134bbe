import { t } from '@lingui/core/macro';
import type { Problem } from '#shared/core/problem.ts';
import type { SitePictureName } from '#shared/core/site-pictures.ts';
import { limits } from '#shared/core/limits.ts';
import { getPageMemberHeader } from './api.ts';
import { ApiError, isRetryableStatus, translateError, UnreachableError } from './errors.ts';

/** The requests with a picture as their body. */
type Responses = { '/api/uploads': { path: string }; '/api/settings/avatar': { avatar: string } } & Record<
  `/api/admin/pictures/${SitePictureName}`,
  { value: string }
>;

/** The accepted formats. A file of another content can have the name of one. */
const formats: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif']);

/**
 * Uploads a picture. XMLHttpRequest, because fetch does not report the progress of a request.
 * @param onProgress called with the part that is sent, from 0 to 1
 * @throws ApiError, UnreachableError; Error with a message for files that the server would refuse, without a
 * request, for those whose content is no picture, and for those that a proxy refuses
 */
export async function uploadPicture<To extends keyof Responses>(
  path: To,
  file: File,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (part: number) => void },
): Promise<Responses[To]> {
  if (!file.type.startsWith('image/')) throw new Error(translateError('upload-not-picture'));
  if (file.size > limits.uploadBytes)
    throw new Error(translateError('upload-too-large', { max: limits.uploadBytes / 1_000_000 }));
  const request = new XMLHttpRequest();
  request.open(path === '/api/uploads' ? 'POST' : 'PUT', path);
  request.responseType = 'json';
  request.setRequestHeader('content-type', 'application/octet-stream');
  for (const header of Object.entries(getPageMemberHeader())) request.setRequestHeader(...header);
  request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total));
  signal.addEventListener('abort', () => request.abort());
  const ended = new Promise((resolve) => request.addEventListener('loadend', resolve));
  request.send(file);
  await ended;
  signal.throwIfAborted();
  const hasJson = request.response !== null;
  if (request.status === 0 || (!hasJson && isRetryableStatus(request.status)))
    throw new UnreachableError(t`The server cannot be reached.`);
  // A proxy may refuse it, for example because of its size.
  if (!hasJson) throw new Error(t`Something went wrong. Please try again.`);
  if (request.status >= 300) {
    const error = new ApiError(request.response as Problem, null);
    throw error.code === 'upload-not-picture' && formats.has(file.type)
      ? new Error(t`This file could not be read as a picture.`)
      : error;
  }
  return request.response as Responses[To];
}
