import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { createRoute, z } from '@hono/zod-openapi';
import { recordSecurityEvent } from './security-events.ts';
import { transaction } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { type RouteDeps, problemResponses, createRouter } from '#server/core/http.ts';
import type { ObjectStore } from '#server/core/object-store.ts';
import { createRateLimit, requirePoint } from '#server/core/rate-limits.ts';
import { createDataExport } from './data-export.ts';

const exportData = createRoute({
  method: 'get',
  path: '/data-export',
  summary: 'Download all data of the member as an archive',
  responses: {
    200: {
      description: 'A tar archive, compressed with gzip; its README.md explains the files',
      content: { 'application/gzip': { schema: z.string().openapi({ format: 'binary' }) } },
    },
    ...problemResponses,
  },
});

export function dataExportRoutes({
  db,
  settings,
  siteSettings,
  objectStore,
}: RouteDeps & { objectStore: ObjectStore | undefined }) {
  // Each export reads everything a member has.
  const exportLimit = createRateLimit(db, { name: 'data-export', points: 5, seconds: 60 * 60 });
  return createRouter().openapi(exportData, async (c) => {
    // A link on another site could otherwise start the export and its security email.
    if (c.req.header('sec-fetch-site') === 'cross-site') throw new ProblemError('foreign-origin');
    const { id: memberId } = c.get('viewer');
    await requirePoint(exportLimit, { key: String(memberId), code: 'too-many-data-exports' });
    await transaction(db, (tx) => recordSecurityEvent(tx, { memberId, event: 'data-exported' }));
    const archive = createDataExport(db, {
      memberId,
      site: settings.publicUrl ?? new URL(c.req.url).origin,
      objectStore,
      siteName: siteSettings.get('siteName'),
    });
    const name = `parley-${new Date().toISOString().slice(0, 10)}.tar.gz`;
    return c.body(Readable.toWeb(archive) as ReadableStream<Uint8Array>, 200, {
      'content-type': 'application/gzip',
      'content-disposition': `attachment; filename="${name}"`,
    });
  });
}
