import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { transaction } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import {
  createRouter,
  jsonResponse,
  problemResponses,
  type RouteDeps,
  type Viewer,
} from '#server/core/http.ts';
import type { ObjectStore } from '#server/core/object-store.ts';
import { createMemberLimit } from '#server/core/rate-limits.ts';
import { limits, serverLimits } from '#shared/core/limits.ts';
import { getUploadPath, parseUploadPath } from '#shared/core/uploads.ts';
import { readUpload, removeAvatarOf, uploadAvatar, uploadPicture } from './uploads.ts';
import { filterNewMembers } from './write-limits.ts';

/** `objectStore`: undefined if the files of pictures are in the database only. */
export type ObjectStoreRoutesDeps = { objectStore: ObjectStore | undefined };

/** The path of uploads below /api, and of their files. */
export const uploadsPath = '/uploads';

const picture = z.string().openapi({ format: 'binary' });

const upload = createRoute({
  method: 'post',
  path: uploadsPath,
  summary: 'Upload a picture for a post',
  description:
    'The body is the file: JPEG, PNG, WebP or GIF, whatever its content type says. The path in the response is for ' +
    'Markdown: `![description](path)`. An upload that no post or draft shows is deleted after a day.',
  request: { body: { required: true, content: { 'application/octet-stream': { schema: picture } } } },
  responses: {
    201: jsonResponse(z.object({ path: z.string() }), 'The address of the picture on this site'),
    ...problemResponses,
  },
});

const setAvatarRoute = createRoute({
  method: 'put',
  path: '/settings/avatar',
  summary: 'Set your avatar',
  description:
    'The body is the file: JPEG, PNG, WebP or GIF, whatever its content type says. Its central square is stored in two ' +
    'sizes, as `/uploads/<avatar>/64x64.webp` and `/uploads/<avatar>/256x256.webp`.',
  request: { body: { required: true, content: { 'application/octet-stream': { schema: picture } } } },
  responses: {
    200: jsonResponse(z.object({ avatar: z.string() }), 'The name of the avatar'),
    ...problemResponses,
  },
});

const deleteAvatarRoute = createRoute({
  method: 'delete',
  path: '/settings/avatar',
  summary: 'Remove your avatar',
  responses: { 204: { description: 'There is no avatar' }, ...problemResponses },
});

export function uploadRoutes({ db }: RouteDeps) {
  const limit = createMemberLimit(db, {
    name: 'upload',
    code: 'too-many-uploads',
    points: serverLimits.uploadsPerHour,
    seconds: 60 * 60,
    lower: { points: serverLimits.uploadsPerHourOfNewMember, appliesTo: filterNewMembers },
  });
  return createRouter()
    .openapi(upload, async (c) => {
      const viewer = c.get('viewer');
      await limit(viewer.id);
      const bytes = await readPicture(c.req.raw);
      return c.json({ path: getUploadPath(await uploadPicture(db, { viewer, bytes })) }, 201);
    })
    .openapi(setAvatarRoute, async (c) => {
      const viewer = c.get('viewer');
      await limit(viewer.id);
      const bytes = await readPicture(c.req.raw);
      return c.json({ avatar: await uploadAvatar(db, { viewer, bytes }) }, 200);
    })
    .openapi(deleteAvatarRoute, async (c) => {
      await transaction(db, (tx) => removeAvatarOf(tx, c.get('viewer').id));
      return c.body(null, 204);
    });
}

/** Bytes of bodies that this node is receiving, and their maximum. */
let receivedBytes = 0;
const maxReceivedBytes = 16 * limits.uploadBytes;

/**
 * Reads the body of an upload, at most `limits.uploadBytes`.
 * @throws ProblemError 'too-large'; 'busy' if this node is receiving too much
 */
export async function readPicture(request: Request): Promise<Uint8Array> {
  const tooLarge = () =>
    new ProblemError('upload-too-large', { params: { max: limits.uploadBytes / 1_000_000 } });
  // Before the body is touched: the connection could not be used again after a stream that was opened and not read.
  if (Number(request.headers.get('content-length') ?? 0) > limits.uploadBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of request.body ?? []) {
      length += chunk.length;
      receivedBytes += chunk.length;
      if (length > limits.uploadBytes) throw tooLarge();
      if (receivedBytes > maxReceivedBytes) throw new ProblemError('busy', { retryAfter: 3 });
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    receivedBytes -= length;
  }
}

/**
 * Serves the files of uploads. Their names change with their content, so a browser stores them for good. With public
 * reading, visitors get them as well; a cache for all visitors then stores a picture for an hour at most, because its
 * post may be hidden.
 * @param viewerOf the member of a request with a session or an API token; null for a visitor
 */
export const serveUploads = (
  { db, siteSettings, objectStore }: RouteDeps & ObjectStoreRoutesDeps,
  viewerOf: (c: Context) => Promise<Viewer | null>,
) =>
  createMiddleware(async (c) => {
    const file = parseUploadPath(c.req.path);
    const viewer = file === null ? null : await viewerOf(c);
    if (file === null || (viewer === null && !siteSettings.get('publicReading')))
      throw new ProblemError('upload-not-found');
    return c.body(new Uint8Array(await readUpload({ db, objectStore }, { file, viewer })), 200, {
      'content-type': 'image/webp',
      'content-disposition': 'inline',
      'cache-control': `${viewer === null ? 'public, s-maxage=3600' : 'private'}, max-age=31536000, immutable`,
      vary: 'authorization, cookie',
    });
  });
