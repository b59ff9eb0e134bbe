import { createRoute } from '@hono/zod-openapi';
import { createMiddleware } from 'hono/factory';
import {
  createRouter,
  jsonBody,
  jsonResponse,
  problemResponses,
  type RouteDeps,
  type SignedInEnv,
} from '#server/core/http.ts';
import type { RequirePassword } from '#server/identity/index.ts';
import { requireAdmin } from '#server/moderation/index.ts';
import { mergeDraft, mergePreview, mergeQuery } from '#shared/admin/account-merges.ts';
import { idParam } from '#shared/core/fields.ts';
import { reauthentication, removedSignInFactors } from '#shared/identity/two-factor.ts';
import { previewMerge, type QueueAccountMerge, startMerge } from './account-merge.ts';
import { resetSignInFactors } from './sign-in-factors.ts';

const preview = createRoute({
  method: 'get',
  path: '/admin/members/{id}/merge-preview',
  summary: 'Preview the merge of an account into another one; nothing changes (admins)',
  request: { params: idParam, query: mergeQuery },
  responses: { 200: jsonResponse(mergePreview, 'What moves and what is dropped'), ...problemResponses },
});

const merge = createRoute({
  method: 'post',
  path: '/admin/members/{id}/merge',
  summary: 'Merge an account into another one, permanently (admins)',
  request: { params: idParam, body: jsonBody(mergeDraft) },
  responses: { 204: { description: 'Started' }, ...problemResponses },
});

const resetTwoFactor = createRoute({
  method: 'post',
  path: '/admin/members/{id}/two-factor-removal',
  summary: 'Remove two-factor authentication and passkeys of a member who lost them (admins)',
  request: { params: idParam, body: jsonBody(reauthentication) },
  responses: { 200: jsonResponse(removedSignInFactors, 'Removed, and signed out'), ...problemResponses },
});

export type AccountMergeDeps = RouteDeps & {
  requirePassword: RequirePassword;
  queueAccountMerge: QueueAccountMerge | undefined;
};

/** Runs before validation, so that an invalid request of another member is a 404 too. */
const adminsOnly = createMiddleware<SignedInEnv>(async (c, next) => {
  requireAdmin(c.get('viewer'));
  await next();
});

/** What admins do with accounts. */
export function accountMergeRoutes({ db, requirePassword, queueAccountMerge }: AccountMergeDeps) {
  const routes = createRouter();
  routes.use('/admin/members/*', adminsOnly);
  return routes
    .openapi(preview, async (c) => {
      const wanted = { fromId: c.req.valid('param').id, intoId: c.req.valid('query').into };
      return c.json(await previewMerge(c.get('reader'), wanted), 200);
    })
    .openapi(merge, async (c) => {
      const admin = requireAdmin(c.get('viewer'));
      const { into: intoId, name, ...proof } = c.req.valid('json');
      await startMerge(db, {
        admin,
        merge: { fromId: c.req.valid('param').id, intoId, name },
        proof,
        requirePassword,
        queueMerge: queueAccountMerge,
      });
      return c.body(null, 204);
    })
    .openapi(resetTwoFactor, async (c) => {
      const admin = requireAdmin(c.get('viewer'));
      await requirePassword(admin, c.req.valid('json'));
      return c.json(await resetSignInFactors(db, { admin, memberId: c.req.valid('param').id }), 200);
    });
}
