import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { createRoute, z } from '@hono/zod-openapi';
import { recordSecurityEvent } from './security-events.ts';
import { transaction } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { type RouteDeps, problemResponses, createRouter } from '#server/core/http.ts';
import { createRateLimit } from '#server/core/rate-limits.ts';
import { createDataExport } from './data-export.ts';

const exportData = createRoute({
  method: 'get',
  path: '/download',
  summary: 'Everything that is the member’s, as a compressed archive',
  responses: {
    200: {
      description: 'A tar archive, compressed with gzip; its README.md explains the files',
      content: { 'application/gzip': { schema: z.string().openapi({ format: 'binary' }) } },
    },
    ...problemResponses,
  },
});

export function dataExportRoutes({ db, settings }: RouteDeps) {
  // Each reads all that a member has.
  const exportLimit = createRateLimit(db, { name: 'download', points: 5, seconds: 60 * 60 });
  return createRouter().openapi(exportData, async (c) => {
    // A page of another site that leads here would have the member mailed about it.
    if (c.req.header('sec-fetch-site') === 'cross-site')
      throw new ProblemError('foreign-origin', 'This request came from another site.');
    const { id: memberId } = c.get('viewer');
    if (!(await exportLimit.consume(String(memberId))))
      throw new ProblemError(
        'too-many',
        'You have downloaded your data a few times just now. Please try again later.',
        {
          retryAfter: 60 * 60,
        },
      );
    await transaction(db, (tx) => recordSecurityEvent(tx, { memberId, event: 'data-downloaded' }));
    const archive = createDataExport(db, { memberId, site: settings.publicUrl ?? new URL(c.req.url).origin });
    const name = `parley-${new Date().toISOString().slice(0, 10)}.tar.gz`;
    return c.body(Readable.toWeb(archive) as ReadableStream<Uint8Array>, 200, {
      'content-type': 'application/gzip',
      'content-disposition': `attachment; filename="${name}"`,
    });
  });
}
