import { createRoute, z } from '@hono/zod-openapi';
import { createMiddleware } from 'hono/factory';
import type { Database } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { createRouter, jsonResponse, problemResponses } from '#server/core/http.ts';
import { createMemberLimit } from '#server/core/rate-limits.ts';
import { requireAdmin } from '#server/moderation/index.ts';
import { readPicture } from '#server/posts/index.ts';
import { sitePicture } from '#shared/admin/settings.ts';
import { serverLimits } from '#shared/core/limits.ts';
import { sitePictureNames, sitePicturePattern } from '#shared/core/site-pictures.ts';
import { readSitePictureFile } from './settings-queries.ts';
import { changeSitePicture } from './site-pictures.ts';

const change = createRoute({
  method: 'put',
  path: '/admin/pictures/{name}',
  summary: 'Upload the logo or the icon of the site (admins)',
  description:
    'The body is the file: JPEG, PNG, WebP or GIF, whatever its content type says. The site setting with the same name ' +
    'gets the name of the picture as its value; an empty value removes it.',
  request: {
    params: z.object({ name: z.string().max(60) }),
    body: {
      required: true,
      content: { 'application/octet-stream': { schema: z.string().openapi({ format: 'binary' }) } },
    },
  },
  responses: { 200: jsonResponse(sitePicture, 'The new value of the setting'), ...problemResponses },
});

export function sitePictureRoutes({ db }: { db: Database }) {
  const limit = createMemberLimit(db, {
    name: 'site-picture',
    code: 'too-many-uploads',
    points: serverLimits.uploadsPerHourOfNewMember,
    seconds: 60 * 60,
  });
  return createRouter().openapi(change, async (c) => {
    const { id: adminId } = requireAdmin(c.get('viewer'));
    const name = sitePictureNames.find((each) => each === c.req.valid('param').name);
    if (name === undefined) throw new ProblemError('setting-not-found');
    await limit(adminId);
    const bytes = await readPicture(c.req.raw);
    return c.json({ value: await changeSitePicture(db, { adminId, name, bytes }) }, 200);
  });
}

/** The route of the files of logos and icons. */
export const sitePicturesPath = '/branding/:picture/:file';

const types: Readonly<Record<string, string>> = { webp: 'image/webp', png: 'image/png' };

/** Serves the files to everyone, also without public reading. Their names change with their content. */
export const serveSitePictures = ({ db }: { db: Database }) =>
  createMiddleware(async (c) => {
    const { picture = '', file = '' } = c.req.param() as Record<string, string>;
    const type = types[file.split('.')[1] ?? ''];
    const content =
      type !== undefined && sitePicturePattern.test(picture) && file.length <= 60
        ? await readSitePictureFile(db, { picture, file })
        : undefined;
    if (type === undefined || content === undefined) throw new ProblemError('upload-not-found');
    return c.body(new Uint8Array(content), 200, {
      'content-type': type,
      'cache-control': 'public, max-age=31536000, immutable',
    });
  });
