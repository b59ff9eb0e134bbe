import { createRoute } from '@hono/zod-openapi';
import type { Database } from '#server/core/database.ts';
import { createRouter, jsonResponse, problemResponses } from '#server/core/http.ts';
import { requireAdmin } from '#server/moderation/index.ts';
import { systemState } from '#shared/admin/system.ts';
import { type ConfiguredParts, readSystemState } from './system.ts';

const show = createRoute({
  method: 'get',
  path: '/admin/system',
  summary: 'Get the versions, migrations, nodes, backups, exports and pictures (admins)',
  responses: { 200: jsonResponse(systemState, 'What runs'), ...problemResponses },
});

export type SystemRoutesDeps = {
  db: Database;
  system: ConfiguredParts;
};

export function systemRoutes({ db, system }: SystemRoutesDeps) {
  return createRouter().openapi(show, async (c) => {
    requireAdmin(c.get('viewer'));
    return c.json(await readSystemState(db, system), 200);
  });
}
