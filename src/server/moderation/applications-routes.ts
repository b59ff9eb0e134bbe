import { createRoute } from '@hono/zod-openapi';
import { createRouter, jsonBody, jsonResponse, problemResponses, type RouteDeps } from '#server/core/http.ts';
import type { AccountEmails } from '#server/identity/index.ts';
import { idParam } from '#shared/core/fields.ts';
import {
  applicationCount,
  applicationDecision,
  applications,
  applicationsQuery,
} from '#shared/moderation/applications.ts';
import { reviewClaimDraft } from '#shared/moderation/moderation.ts';
import {
  claimApplication,
  decideApplication,
  readApplicationCount,
  readApplications,
  releaseApplication,
} from './applications.ts';
import { type ModeratorEnv, moderatorsOnly } from './moderator.ts';

const list = createRoute({
  method: 'get',
  path: '/moderation/applications',
  summary: 'For moderators: list accounts that wait for approval, or that were refused',
  request: { query: applicationsQuery },
  responses: {
    200: jsonResponse(applications, 'Waiting: the oldest first; refused: the latest first'),
    ...problemResponses,
  },
});

const count = createRoute({
  method: 'get',
  path: '/moderation/applications/count',
  summary: 'For moderators: count the accounts that wait for approval',
  responses: { 200: jsonResponse(applicationCount, 'The current count'), ...problemResponses },
});

const decide = createRoute({
  method: 'put',
  path: '/moderation/applications/{id}/decision',
  summary: 'For moderators: approve an account, or refuse one that waits',
  request: { params: idParam, body: jsonBody(applicationDecision) },
  responses: { 204: { description: 'Decided and logged' }, ...problemResponses },
});

const claim = createRoute({
  method: 'put',
  path: '/moderation/applications/{id}/claim',
  summary: 'For moderators: claim an account that waits for approval, so that others leave it alone',
  request: { params: idParam, body: jsonBody(reviewClaimDraft) },
  responses: { 204: { description: 'Claimed for ten minutes' }, ...problemResponses },
});

const release = createRoute({
  method: 'delete',
  path: '/moderation/applications/{id}/claim',
  summary: 'For moderators: end your claim of an account that waits for approval',
  request: { params: idParam },
  responses: { 204: { description: 'There is no own claim' }, ...problemResponses },
});

export type MemberApplicationDeps = Pick<RouteDeps, 'db'> & {
  /** Absent without a mail server. */
  accountEmails: AccountEmails | undefined;
};

/** The queue of accounts that wait for approval. */
export function memberApplicationRoutes({ db, accountEmails: emails }: MemberApplicationDeps) {
  const routes = createRouter<ModeratorEnv>();
  routes.use('/moderation/applications', moderatorsOnly);
  routes.use('/moderation/applications/*', moderatorsOnly);
  return routes
    .openapi(list, async (c) => {
      const { status, cursor } = c.req.valid('query');
      return c.json(await readApplications(db, { status, cursor }), 200);
    })
    .openapi(count, async (c) => c.json(await readApplicationCount(db), 200))
    .openapi(decide, async (c) => {
      const moderator = c.get('moderator');
      const memberId = c.req.valid('param').id;
      await decideApplication(db, { memberId, moderator, draft: c.req.valid('json'), emails });
      return c.body(null, 204);
    })
    .openapi(claim, async (c) => {
      const moderator = c.get('moderator');
      await claimApplication(db, { memberId: c.req.valid('param').id, moderator, ...c.req.valid('json') });
      return c.body(null, 204);
    })
    .openapi(release, async (c) => {
      const moderator = c.get('moderator');
      await releaseApplication(db, { memberId: c.req.valid('param').id, moderator });
      return c.body(null, 204);
    });
}
