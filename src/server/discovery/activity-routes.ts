import { createRoute } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { etag } from 'hono/etag';
import { jsonResponse, problemResponses, createRouter } from '#server/core/http.ts';
import { memberActivity, memberReputation, tagActivity } from '#shared/discovery/activity.ts';
import { idParam, tagParam } from '#shared/core/fields.ts';
import { readMemberActivity, readMemberReputation, readTagActivity } from './activity.ts';

const memberActivityRoute = createRoute({
  method: 'get',
  path: '/members/{id}/activity',
  summary: "A member's questions, answers and replies on each day (UTC) of the last year",
  request: { params: idParam },
  responses: { 200: jsonResponse(memberActivity, 'Days with any'), ...problemResponses },
});

const memberReputationRoute = createRoute({
  method: 'get',
  path: '/members/{id}/reputation',
  summary: "A member's reputation over the last year, as the votes that stand give it",
  request: { params: idParam },
  responses: { 200: jsonResponse(memberReputation, 'Days on which it changed'), ...problemResponses },
});

const tagActivityRoute = createRoute({
  method: 'get',
  path: '/topics/{tag}/activity',
  summary: "A topic's questions and answers in each week of the last year",
  request: { params: tagParam },
  responses: { 200: jsonResponse(tagActivity, 'Weeks with any'), ...problemResponses },
});

export function activityRoutes() {
  const routes = createRouter();
  for (const { path } of [memberActivityRoute, memberReputationRoute, tagActivityRoute])
    routes.use(path.replace(/\{(\w+)\}/, ':$1'), etag());
  return routes
    .openapi(memberActivityRoute, async (c) => {
      const activity = await readMemberActivity(c.get('reader'), c.req.valid('param'));
      setRevalidation(c);
      return c.json(activity, 200);
    })
    .openapi(memberReputationRoute, async (c) => {
      const read = await readMemberReputation(c.get('reader'), c.req.valid('param'));
      setRevalidation(c);
      return c.json(read, 200);
    })
    .openapi(tagActivityRoute, async (c) => {
      const activity = await readTagActivity(c.get('reader'), c.req.valid('param'));
      setRevalidation(c);
      return c.json(activity, 200);
    });
}

/** The browser keeps a picture of a year and asks whether it still holds: what one has just written shows at once. */
function setRevalidation(c: Context): void {
  c.header('cache-control', 'private, no-cache');
  c.header('vary', 'cookie', { append: true });
}
