import { createRoute } from '@hono/zod-openapi';
import {
  createRouter,
  jsonBody,
  jsonResponse,
  problemResponses,
  type RouteDeps,
  type VisitorEnv,
} from '#server/core/http.ts';
import { getMe, getVisitor, recordSignIn, setCookies } from '#server/identity/index.ts';
import { setupDraft, setupState } from '#shared/admin/setup.ts';
import { sessionState } from '#shared/identity/accounts.ts';
import { createSetup, type SetupDeps } from './setup.ts';

const readState = createRoute({
  method: 'get',
  path: '/setup',
  summary: 'Get whether the community is set up',
  responses: { 200: jsonResponse(setupState, 'The state'), ...problemResponses },
});

const complete = createRoute({
  method: 'post',
  path: '/setup',
  summary: 'Set up a new community and become its first admin',
  request: { body: jsonBody(setupDraft) },
  responses: { 201: jsonResponse(sessionState, 'Set up, and signed in'), ...problemResponses },
});

/** Routes for the owner of a new community, who may have no account yet. */
export function setupRoutes(deps: SetupDeps & RouteDeps) {
  const setup = createSetup(deps);
  return createRouter<VisitorEnv>()
    .openapi(readState, async (c) => c.json(await setup.readState(), 200))
    .openapi(complete, async (c) => {
      const current = await deps.accounts.account(c.req.raw.headers);
      const visitor = getVisitor(c, deps.settings);
      const viewerId = current?.viewer.id ?? null;
      const session = await setup.complete(c.req.valid('json'), { visitor, viewerId });
      if (session !== null) {
        const { memberId } = session;
        await recordSignIn(c, deps, { memberId, method: 'registration' });
        setCookies(c, session.cookies);
        c.set('registered', memberId);
      }
      return c.json({ member: await getMe(deps.db, session?.memberId ?? viewerId ?? 0) }, 201);
    });
}
