import { createRoute } from '@hono/zod-openapi';
import { createRouter, jsonBody, jsonResponse, problemResponses, type RouteDeps } from '#server/core/http.ts';
import { createMemberLimit } from '#server/core/rate-limits.ts';
import { ownApplication, signUpAnswersDraft } from '#shared/identity/applications.ts';
import { readOwnApplication, updateOwnAnswers } from './applications.ts';
import type { Joining } from './joining.ts';

export type ApplicationDeps = Pick<RouteDeps, 'db'> & { joining: Joining };

const readOwn = createRoute({
  method: 'get',
  path: '/application',
  summary: 'Get your application, while your account waits for approval or was refused',
  responses: { 200: jsonResponse(ownApplication, 'The current state'), ...problemResponses },
});

const changeAnswers = createRoute({
  method: 'put',
  path: '/application',
  summary: 'Change your answers while your account waits for approval',
  request: { body: jsonBody(signUpAnswersDraft) },
  responses: { 200: jsonResponse(ownApplication, 'The new state'), ...problemResponses },
});

/** The only routes, with data export and account deletion, of an account that is not a member's yet. */
export function applicationRoutes({ db, joining }: ApplicationDeps) {
  const limit = createMemberLimit(db, {
    name: 'application',
    code: 'too-many-application-changes',
    points: 20,
    seconds: 60 * 60,
  });
  return createRouter()
    .openapi(readOwn, async (c) =>
      c.json(await readOwnApplication(db, { memberId: c.get('viewer').id, joining }), 200),
    )
    .openapi(changeAnswers, async (c) => {
      const memberId = c.get('viewer').id;
      await limit(memberId);
      await updateOwnAnswers(db, { memberId, ...c.req.valid('json'), joining });
      return c.json(await readOwnApplication(db, { memberId, joining }), 200);
    });
}
