import { createRoute } from '@hono/zod-openapi';
import { createMiddleware } from 'hono/factory';
import { answers, type Deps, json, problems, router, type SignedInEnv } from '#server/platform/http.ts';
import { cursorQuery, idParam } from '#shared/fields.ts';
import {
  approval,
  network,
  registeredAccounts,
  registrationNetworks,
  registrationQuery,
  removal,
  removalDraft,
  removalPreview,
  removals,
  removalSelection,
  restorationDraft,
} from '#shared/removals.ts';
import type { CareDeps } from './members.ts';
import { operatorOf } from './operator.ts';
import { approve, readAccounts, readNetworks } from './registrations.ts';
import { beginRemoval, beginRestoration, previewRemoval, readRemoval, readRemovals } from './removals.ts';

const networks = createRoute({
  method: 'get',
  path: '/moderation/registrations',
  summary: 'For moderators: from which networks accounts registered in the last hours',
  request: { query: registrationQuery },
  responses: { 200: answers(registrationNetworks, 'Networks with waiting accounts first'), ...problems },
});

const accounts = createRoute({
  method: 'get',
  path: '/moderation/registrations/accounts',
  summary: 'For moderators: the accounts that registered from a network in the last hours',
  request: {
    query: registrationQuery.extend({
      /** Without one: accounts that wait and whose network is not stored any more. */
      network: network.optional(),
      cursor: cursorQuery,
    }),
  },
  responses: { 200: answers(registeredAccounts, 'The latest first'), ...problems },
});

const approvals = createRoute({
  method: 'post',
  path: '/moderation/approvals',
  summary: 'For moderators: let accounts post that wait',
  request: { body: json(approval) },
  responses: { 204: { description: 'Approved' }, ...problems },
});

const preview = createRoute({
  method: 'post',
  path: '/moderation/removals/preview',
  summary: 'For moderators: what a removal of all activity would take; nothing changes',
  request: { body: json(removalSelection) },
  responses: { 200: answers(removalPreview, 'As counted now'), ...problems },
});

const begin = createRoute({
  method: 'post',
  path: '/moderation/removals',
  summary: 'For moderators: remove all activity of several accounts',
  request: { body: json(removalDraft) },
  responses: { 201: answers(removal, 'Begun'), ...problems },
});

const list = createRoute({
  method: 'get',
  path: '/moderation/removals',
  summary: 'For moderators: the latest removals, and how far they are',
  responses: { 200: answers(removals, 'The latest first'), ...problems },
});

const read = createRoute({
  method: 'get',
  path: '/moderation/removals/{id}',
  summary: 'For moderators: a removal, and how far it is',
  request: { params: idParam },
  responses: { 200: answers(removal, 'As it is now'), ...problems },
});

const restore = createRoute({
  method: 'post',
  path: '/moderation/removals/{id}/restoration',
  summary: 'For moderators: restore everything that a removal took',
  request: { params: idParam, body: json(restorationDraft) },
  responses: { 200: answers(removal, 'Begun'), ...problems },
});

/** Before anything else is said about the request. */
const moderatorsOnly = createMiddleware<SignedInEnv>(async (c, next) => {
  operatorOf(c.get('viewer'));
  await next();
});

/** Recent registrations by network, and the removal of all activity of many accounts. */
export function removalRoutes({ db, care }: Deps & { care: CareDeps }) {
  const routes = router();
  routes.use('/moderation/*', moderatorsOnly);
  return routes
    .openapi(networks, async (c) => c.json(await readNetworks(db, c.req.valid('query')), 200))
    .openapi(accounts, async (c) => {
      const { network = null, hours, cursor } = c.req.valid('query');
      return c.json(await readAccounts(db, { network, hours, cursor }), 200);
    })
    .openapi(approvals, async (c) => {
      const { id: operatorId } = operatorOf(c.get('viewer'));
      await approve(db, { operatorId, ...c.req.valid('json') });
      return c.body(null, 204);
    })
    .openapi(preview, async (c) => c.json(await previewRemoval(db, c.req.valid('json')), 200))
    .openapi(begin, async (c) => {
      const { id: operatorId } = operatorOf(c.get('viewer'));
      const { reason, ...selection } = c.req.valid('json');
      const id = await beginRemoval(db, { selection, reason, remover: { operatorId, work: care.work } });
      return c.json(await readRemoval(db, id), 201);
    })
    .openapi(list, async (c) => c.json({ items: await readRemovals(db) }, 200))
    .openapi(read, async (c) => c.json(await readRemoval(db, c.req.valid('param').id), 200))
    .openapi(restore, async (c) => {
      const { id: operatorId } = operatorOf(c.get('viewer'));
      const { id } = c.req.valid('param');
      const { reason } = c.req.valid('json');
      await beginRestoration(db, { id, reason, remover: { operatorId, work: care.work } });
      return c.json(await readRemoval(db, id), 200);
    });
}
