import { createRoute, z } from '@hono/zod-openapi';
import type { Database } from '#server/core/database.ts';
import { createRouter, jsonBody, jsonResponse, problemResponses } from '#server/core/http.ts';
import type { SignInMethods } from '#server/identity/index.ts';
import { requireAdmin } from '#server/moderation/index.ts';
import { settingDraft, settingUndo, siteSettings } from '#shared/admin/settings.ts';
import { changeSetting, listSettings, undoSettingChange } from './settings.ts';

const list = createRoute({
  method: 'get',
  path: '/admin/settings',
  summary: 'List the site settings with their values and limits (admins)',
  responses: { 200: jsonResponse(siteSettings, 'All settings'), ...problemResponses },
});

const change = createRoute({
  method: 'put',
  path: '/admin/settings/{name}',
  summary: 'Change a site setting on all nodes (admins)',
  request: { params: z.object({ name: z.string().max(60) }), body: jsonBody(settingDraft) },
  responses: { 204: { description: 'Changed, or unchanged' }, ...problemResponses },
});

const undo = createRoute({
  method: 'post',
  path: '/admin/settings/undo',
  summary: 'Undo the latest change of a site setting (admins)',
  request: { body: jsonBody(settingUndo) },
  responses: { 204: { description: 'Undone' }, ...problemResponses },
});

export function siteSettingRoutes({ db, signInMethods }: { db: Database; signInMethods: SignInMethods }) {
  return createRouter()
    .openapi(list, async (c) => {
      requireAdmin(c.get('viewer'));
      return c.json({ items: await listSettings(db) }, 200);
    })
    .openapi(change, async (c) => {
      const { id: adminId } = requireAdmin(c.get('viewer'));
      const { name } = c.req.valid('param');
      await changeSetting(db, { adminId, signInMethods, name, value: c.req.valid('json').value });
      return c.body(null, 204);
    })
    .openapi(undo, async (c) => {
      const { id: adminId } = requireAdmin(c.get('viewer'));
      await undoSettingChange(db, { adminId, signInMethods, entryId: c.req.valid('json').entryId });
      return c.body(null, 204);
    });
}
