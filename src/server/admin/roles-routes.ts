import { createRoute } from '@hono/zod-openapi';
import type { Database } from '#server/core/database.ts';
import { createRouter, jsonBody, problemResponses } from '#server/core/http.ts';
import type { RequirePassword } from '#server/identity/index.ts';
import { requireAdmin } from '#server/moderation/index.ts';
import { idParam } from '#shared/core/fields.ts';
import { roleDraft } from '#shared/moderation/moderation.ts';
import { setRoleAsAdmin } from './roles.ts';

const changeRole = createRoute({
  method: 'put',
  path: '/admin/members/{id}/role',
  summary: 'Change the role of a member (admins)',
  request: { params: idParam, body: jsonBody(roleDraft) },
  responses: { 204: { description: 'Changed' }, ...problemResponses },
});

export function roleRoutes({ db, requirePassword }: { db: Database; requirePassword: RequirePassword }) {
  return createRouter().openapi(changeRole, async (c) => {
    const admin = requireAdmin(c.get('viewer'));
    const { role, ...proof } = c.req.valid('json');
    await setRoleAsAdmin(db, { admin, memberId: c.req.valid('param').id, role, proof, requirePassword });
    return c.body(null, 204);
  });
}
