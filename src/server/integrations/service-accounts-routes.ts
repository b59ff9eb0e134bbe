import { createRoute, z } from '@hono/zod-openapi';
import { createRouter, jsonBody, jsonResponse, problemResponses } from '#server/core/http.ts';
import { createAdminLimit, requireAdmin } from '#server/moderation/index.ts';
import { id, idParam } from '#shared/core/fields.ts';
import { createdApiToken } from '#shared/integrations/api-tokens.ts';
import {
  serviceAccountDeletion,
  serviceAccountDraft,
  serviceAccounts as serviceAccountList,
  serviceAccountState,
  serviceAccountTokenDraft,
  serviceAccountTokenParam,
} from '#shared/integrations/service-accounts.ts';
import { createServiceAccounts, type ServiceAccountDeps } from './service-accounts.ts';

const list = createRoute({
  method: 'get',
  path: '/admin/service-accounts',
  summary: 'For admins: list the accounts of programs with their API tokens',
  responses: { 200: jsonResponse(serviceAccountList, 'By name'), ...problemResponses },
});

const add = createRoute({
  method: 'post',
  path: '/admin/service-accounts',
  summary: 'For admins: create an account for a program',
  request: { body: jsonBody(serviceAccountDraft) },
  responses: { 201: jsonResponse(z.object({ id }), 'Created'), ...problemResponses },
});

const change = createRoute({
  method: 'put',
  path: '/admin/service-accounts/{id}',
  summary: 'For admins: change the name, the text and the limits of a service account',
  request: { params: idParam, body: jsonBody(serviceAccountDraft) },
  responses: { 204: { description: 'Changed, or unchanged' }, ...problemResponses },
});

const setActive = createRoute({
  method: 'put',
  path: '/admin/service-accounts/{id}/active',
  summary: 'For admins: deactivate a service account, which refuses its API tokens, or activate it again',
  request: { params: idParam, body: jsonBody(serviceAccountState) },
  responses: { 204: { description: 'Changed, or unchanged' }, ...problemResponses },
});

const remove = createRoute({
  method: 'post',
  path: '/admin/service-accounts/{id}/deletion',
  summary: 'For admins: delete a service account, with or without its posts',
  request: { params: idParam, body: jsonBody(serviceAccountDeletion) },
  responses: { 204: { description: 'Deleted; a job deletes the posts' }, ...problemResponses },
});

const createToken = createRoute({
  method: 'post',
  path: '/admin/service-accounts/{id}/tokens',
  summary: 'For admins: create an API token of a service account',
  request: { params: idParam, body: jsonBody(serviceAccountTokenDraft) },
  responses: {
    201: jsonResponse(createdApiToken, 'Created; the token is only in this response'),
    ...problemResponses,
  },
});

const revokeToken = createRoute({
  method: 'delete',
  path: '/admin/service-accounts/{id}/tokens/{tokenId}',
  summary: 'For admins: revoke an API token of a service account',
  request: { params: serviceAccountTokenParam },
  responses: { 204: { description: 'Revoked' }, ...problemResponses },
});

export function serviceAccountRoutes(deps: ServiceAccountDeps) {
  const accounts = createServiceAccounts(deps);
  const requireChanger = createAdminLimit(deps.db, { name: 'service-accounts', points: 200 });
  return createRouter()
    .openapi(list, async (c) => {
      requireAdmin(c.get('viewer'));
      return c.json(await accounts.list(c.get('reader')), 200);
    })
    .openapi(add, async (c) => {
      const admin = await requireChanger(c.get('viewer'));
      return c.json(await accounts.add(admin, c.req.valid('json')), 201);
    })
    .openapi(change, async (c) => {
      const admin = await requireChanger(c.get('viewer'));
      await accounts.change(admin, c.req.valid('param').id, c.req.valid('json'));
      return c.body(null, 204);
    })
    .openapi(setActive, async (c) => {
      const admin = await requireChanger(c.get('viewer'));
      await accounts.setActive(admin, c.req.valid('param').id, c.req.valid('json').active);
      return c.body(null, 204);
    })
    .openapi(remove, async (c) => {
      const admin = await requireChanger(c.get('viewer'));
      await accounts.remove(admin, c.req.valid('param').id, c.req.valid('json'));
      return c.body(null, 204);
    })
    .openapi(createToken, async (c) => {
      const admin = await requireChanger(c.get('viewer'));
      return c.json(await accounts.createToken(admin, c.req.valid('param').id, c.req.valid('json')), 201);
    })
    .openapi(revokeToken, async (c) => {
      const admin = await requireChanger(c.get('viewer'));
      const { id: accountId, tokenId } = c.req.valid('param');
      await accounts.revokeToken(admin, accountId, tokenId);
      return c.body(null, 204);
    });
}
