import { createRoute } from '@hono/zod-openapi';
import { jsonResponse, type RouteDeps, jsonBody, problemResponses, createRouter } from '#server/core/http.ts';
import { cursorQuery, idParam } from '#shared/core/fields.ts';
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
} from '#shared/moderation/removals.ts';
import type { ModerationDeps } from './member-actions.ts';
import { type ModeratorEnv, moderatorsOnly } from './moderator.ts';
import { approveRegistrations, readRegisteredAccounts, readRegistrationNetworks } from './registrations.ts';
import { beginRemoval, beginRestoration, previewRemoval, readRemoval, readRemovals } from './removals.ts';

const networksRoute = createRoute({
  method: 'get',
  path: '/moderation/registrations',
  summary: 'For moderators: list recent registrations by network',
  request: { query: registrationQuery },
  responses: {
    200: jsonResponse(registrationNetworks, 'Networks with pending accounts first'),
    ...problemResponses,
  },
});

const accountsRoute = createRoute({
  method: 'get',
  path: '/moderation/registrations/accounts',
  summary: 'For moderators: list the accounts that registered from a network recently',
  request: {
    query: registrationQuery.extend({
      /** Absent: accounts that wait for approval and whose network is no longer stored. */
      network: network.optional(),
      cursor: cursorQuery,
    }),
  },
  responses: { 200: jsonResponse(registeredAccounts, 'Latest first'), ...problemResponses },
});

const approvals = createRoute({
  method: 'post',
  path: '/moderation/approvals',
  summary: 'For moderators: approve pending accounts',
  request: { body: jsonBody(approval) },
  responses: { 204: { description: 'Approved' }, ...problemResponses },
});

const preview = createRoute({
  method: 'post',
  path: '/moderation/removals/preview',
  summary: 'For moderators: preview a removal of all activity; nothing changes',
  request: { body: jsonBody(removalSelection) },
  responses: { 200: jsonResponse(removalPreview, 'The current count'), ...problemResponses },
});

const begin = createRoute({
  method: 'post',
  path: '/moderation/removals',
  summary: 'For moderators: remove all activity of several accounts',
  request: { body: jsonBody(removalDraft) },
  responses: { 201: jsonResponse(removal, 'Started'), ...problemResponses },
});

const list = createRoute({
  method: 'get',
  path: '/moderation/removals',
  summary: 'For moderators: list the latest removals with their progress',
  responses: { 200: jsonResponse(removals, 'Latest first'), ...problemResponses },
});

const read = createRoute({
  method: 'get',
  path: '/moderation/removals/{id}',
  summary: 'For moderators: get a removal with its progress',
  request: { params: idParam },
  responses: { 200: jsonResponse(removal, 'The current state'), ...problemResponses },
});

const restore = createRoute({
  method: 'post',
  path: '/moderation/removals/{id}/restoration',
  summary: 'For moderators: restore everything that a removal removed',
  request: { params: idParam, body: jsonBody(restorationDraft) },
  responses: { 200: jsonResponse(removal, 'Started'), ...problemResponses },
});

/** Recent registrations by network, and removing all activity of many accounts. */
export function removalRoutes({ db, moderation }: RouteDeps & { moderation: ModerationDeps }) {
  const routes = createRouter<ModeratorEnv>();
  for (const path of ['/moderation/registrations/*', '/moderation/approvals', '/moderation/removals/*'])
    routes.use(path, moderatorsOnly);
  return routes
    .openapi(networksRoute, async (c) =>
      c.json(await readRegistrationNetworks(db, c.req.valid('query')), 200),
    )
    .openapi(accountsRoute, async (c) => {
      const { network = null, hours, cursor } = c.req.valid('query');
      return c.json(await readRegisteredAccounts(db, { network, hours, cursor }), 200);
    })
    .openapi(approvals, async (c) => {
      const { id: moderatorId } = c.get('moderator');
      await approveRegistrations(db, { moderatorId, ...c.req.valid('json') });
      return c.body(null, 204);
    })
    .openapi(preview, async (c) => c.json(await previewRemoval(db, c.req.valid('json')), 200))
    .openapi(begin, async (c) => {
      const { id: moderatorId } = c.get('moderator');
      const { reason, ...selection } = c.req.valid('json');
      const id = await beginRemoval(db, {
        selection,
        reason,
        remover: { moderatorId, queueWork: moderation.queueWork },
      });
      return c.json(await readRemoval(db, id), 201);
    })
    .openapi(list, async (c) => c.json({ items: await readRemovals(db) }, 200))
    .openapi(read, async (c) => c.json(await readRemoval(db, c.req.valid('param').id), 200))
    .openapi(restore, async (c) => {
      const { id: moderatorId } = c.get('moderator');
      const { id } = c.req.valid('param');
      const { reason } = c.req.valid('json');
      await beginRestoration(db, { id, reason, remover: { moderatorId, queueWork: moderation.queueWork } });
      return c.json(await readRemoval(db, id), 200);
    });
}
