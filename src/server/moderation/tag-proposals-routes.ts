import { createRoute } from '@hono/zod-openapi';
import { createRouter, jsonBody, problemResponses, type RouteDeps } from '#server/core/http.ts';
import { idParam } from '#shared/core/fields.ts';
import { tagProposalDecision } from '#shared/moderation/moderation.ts';
import type { ModerationDeps } from './member-actions.ts';
import { type ModeratorEnv, moderatorsOnly } from './moderator.ts';
import { decideTagProposal } from './tag-proposals.ts';

const decide = createRoute({
  method: 'put',
  path: '/moderation/tag-proposals/{id}/decision',
  summary: 'For moderators: create a proposed tag, make it a synonym of an existing tag, or reject it',
  request: { params: idParam, body: jsonBody(tagProposalDecision) },
  responses: { 204: { description: 'Done and logged' }, ...problemResponses },
});

/** For moderators only. */
export function tagProposalRoutes({ db, moderation }: RouteDeps & { moderation: ModerationDeps }) {
  const routes = createRouter<ModeratorEnv>();
  routes.use('/moderation/tag-proposals/*', moderatorsOnly);
  return routes.openapi(decide, async (c) => {
    const moderator = c.get('moderator');
    const { id } = c.req.valid('param');
    await decideTagProposal(db, { id, moderator, draft: c.req.valid('json'), deps: moderation });
    return c.body(null, 204);
  });
}
