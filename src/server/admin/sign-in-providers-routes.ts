import { createRoute } from '@hono/zod-openapi';
import { createRouter, jsonBody, jsonResponse, problemResponses } from '#server/core/http.ts';
import { checkIssuer } from '#server/identity/index.ts';
import { createAdminLimit, requireAdmin } from '#server/moderation/index.ts';
import {
  issuerCheck,
  issuerCheckResult,
  signInProviderChange,
  signInProviderDraft,
  signInProviderMembers,
  signInProviderOrder,
  signInProviders,
  signInProviderState,
  signInProviderUndo,
} from '#shared/admin/sign-in-providers.ts';
import { signInProviderParam } from '#shared/identity/sign-in-providers.ts';
import { createProviderChanges, type SignInProviderDeps } from './sign-in-providers.ts';

const list = createRoute({
  method: 'get',
  path: '/admin/sign-in-providers',
  summary: 'For admins: list sign-in providers, without their secrets',
  responses: { 200: jsonResponse(signInProviders, 'In the order of their buttons'), ...problemResponses },
});

const countMembers = createRoute({
  method: 'get',
  path: '/admin/sign-in-providers/{id}/members',
  summary: 'For admins: count members with an account at a sign-in provider',
  request: { params: signInProviderParam },
  responses: { 200: jsonResponse(signInProviderMembers, 'The counts'), ...problemResponses },
});

const add = createRoute({
  method: 'post',
  path: '/admin/sign-in-providers',
  summary: 'For admins: add a sign-in provider on all nodes',
  request: { body: jsonBody(signInProviderDraft) },
  responses: { 204: { description: 'Added' }, ...problemResponses },
});

const change = createRoute({
  method: 'put',
  path: '/admin/sign-in-providers/{id}',
  summary: 'For admins: change a sign-in provider on all nodes',
  request: { params: signInProviderParam, body: jsonBody(signInProviderChange) },
  responses: { 204: { description: 'Changed, or unchanged' }, ...problemResponses },
});

const setEnabled = createRoute({
  method: 'put',
  path: '/admin/sign-in-providers/{id}/enabled',
  summary: 'For admins: switch a sign-in provider on or off',
  request: { params: signInProviderParam, body: jsonBody(signInProviderState) },
  responses: { 204: { description: 'Switched, or unchanged' }, ...problemResponses },
});

const order = createRoute({
  method: 'put',
  path: '/admin/sign-in-provider-order',
  summary: 'For admins: set the order of the buttons of sign-in providers',
  request: { body: jsonBody(signInProviderOrder) },
  responses: { 204: { description: 'Stored' }, ...problemResponses },
});

const remove = createRoute({
  method: 'delete',
  path: '/admin/sign-in-providers/{id}',
  summary: 'For admins: delete a sign-in provider with its secret',
  request: { params: signInProviderParam },
  responses: { 204: { description: 'Deleted' }, ...problemResponses },
});

const check = createRoute({
  method: 'post',
  path: '/admin/sign-in-providers/checks',
  summary: 'For admins: read the metadata of an issuer and say what is wrong with it',
  request: { body: jsonBody(issuerCheck) },
  responses: { 200: jsonResponse(issuerCheckResult, 'The outcome'), ...problemResponses },
});

const undo = createRoute({
  method: 'post',
  path: '/admin/sign-in-providers/undo',
  summary: 'For admins: undo the latest change of a sign-in provider',
  request: { body: jsonBody(signInProviderUndo) },
  responses: { 204: { description: 'Undone' }, ...problemResponses },
});

export function signInProviderRoutes(deps: SignInProviderDeps) {
  const { db } = deps;
  const changes = createProviderChanges(deps);
  const requireChanger = createAdminLimit(db, { name: 'sign-in-providers', points: 200 });
  /** Each check is a request to another server. */
  const requireChecker = createAdminLimit(db, { name: 'check-issuer', points: 60 });
  return createRouter()
    .openapi(list, async (c) => {
      requireAdmin(c.get('viewer'));
      return c.json(await changes.list(c.req.raw.headers), 200);
    })
    .openapi(countMembers, async (c) => {
      requireAdmin(c.get('viewer'));
      return c.json(await changes.countMembers(c.req.valid('param').id), 200);
    })
    .openapi(check, async (c) => {
      await requireChecker(c.get('viewer'));
      return c.json(await checkIssuer(c.req.valid('json').issuer), 200);
    })
    .openapi(undo, async (c) => {
      const admin = await requireChanger(c.get('viewer'));
      await changes.undo(admin, c.req.valid('json').entryId);
      return c.body(null, 204);
    })
    .openapi(add, async (c) => {
      const admin = await requireChanger(c.get('viewer'));
      await changes.add(admin, c.req.valid('json'));
      return c.body(null, 204);
    })
    .openapi(order, async (c) => {
      const admin = await requireChanger(c.get('viewer'));
      await changes.order(admin, c.req.valid('json').ids);
      return c.body(null, 204);
    })
    .openapi(change, async (c) => {
      const admin = await requireChanger(c.get('viewer'));
      await changes.change(admin, c.req.valid('param').id, c.req.valid('json'));
      return c.body(null, 204);
    })
    .openapi(setEnabled, async (c) => {
      const admin = await requireChanger(c.get('viewer'));
      await changes.setEnabled(admin, c.req.valid('param').id, c.req.valid('json').enabled);
      return c.body(null, 204);
    })
    .openapi(remove, async (c) => {
      const admin = await requireChanger(c.get('viewer'));
      await changes.remove(admin, c.req.valid('param').id);
      return c.body(null, 204);
    });
}
