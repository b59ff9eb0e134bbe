import { createRoute, z } from '@hono/zod-openapi';
import {
  createRouter,
  jsonBody,
  jsonResponse,
  problemResponses,
  type RouteDeps,
  type VisitorEnv,
} from '#server/core/http.ts';
import { createMemberLimit, createRateLimit, requirePoint } from '#server/core/rate-limits.ts';
import {
  createInvitation,
  getVisitor,
  readInvitations,
  requireInvitation,
  revokeInvitation,
} from '#server/identity/index.ts';
import { type ModeratorEnv, moderatorsOnly } from '#server/moderation/index.ts';
import { cursorQuery, idParam } from '#shared/core/fields.ts';
import {
  createdInvitation,
  invitationDraft,
  invitationPage,
  invitationRequest,
  openInvitation,
} from '#shared/identity/invitations.ts';

const open = createRoute({
  method: 'post',
  path: '/invitation',
  summary: 'Get who invites with a link',
  request: { body: jsonBody(invitationRequest) },
  responses: { 200: jsonResponse(openInvitation, 'The invitation'), ...problemResponses },
});

/** For visitors who have a link. The token is in the body, so that it is in no access log. */
export function invitationVisitorRoutes({ db, settings }: RouteDeps) {
  // Limits floods, as for registrations (identity/accounts.ts). A token has 32 random bytes and cannot be guessed.
  const limit = createRateLimit(db, { name: 'open-invitation', points: 1000, seconds: 60 * 60 });
  return createRouter<VisitorEnv>().openapi(open, async (c) => {
    await requirePoint(limit, { key: getVisitor(c, settings).networkAddress, code: 'too-often' });
    return c.json(await requireInvitation(db, c.req.valid('json').token), 200);
  });
}

const list = createRoute({
  method: 'get',
  path: '/admin/invitations',
  summary: 'For moderators: list invitations',
  request: { query: z.object({ cursor: cursorQuery }) },
  responses: { 200: jsonResponse(invitationPage, 'Latest first'), ...problemResponses },
});

const create = createRoute({
  method: 'post',
  path: '/admin/invitations',
  summary: 'For moderators: make a link with which people register',
  request: { body: jsonBody(invitationDraft) },
  responses: { 201: jsonResponse(createdInvitation, 'The token of the link'), ...problemResponses },
});

const revoke = createRoute({
  method: 'delete',
  path: '/admin/invitations/{id}',
  summary: 'For moderators: revoke an invitation',
  request: { params: idParam },
  responses: { 204: { description: 'Revoked' }, ...problemResponses },
});

export function invitationRoutes({ db }: RouteDeps) {
  const limit = createMemberLimit(db, { name: 'invite', points: 100, seconds: 60 * 60, code: 'too-often' });
  const routes = createRouter<ModeratorEnv>();
  routes.use('/admin/invitations/*', moderatorsOnly);
  return routes
    .openapi(list, async (c) => {
      return c.json(await readInvitations(c.get('reader'), c.req.valid('query').cursor), 200);
    })
    .openapi(create, async (c) => {
      const { id: createdBy } = c.get('moderator');
      await limit(createdBy);
      return c.json(await createInvitation(db, { createdBy, draft: c.req.valid('json') }), 201);
    })
    .openapi(revoke, async (c) => {
      await revokeInvitation(db, c.req.valid('param').id);
      return c.body(null, 204);
    });
}
