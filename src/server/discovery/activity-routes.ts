import { createRoute } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { etag } from 'hono/etag';
import { jsonResponse, problemResponses, createRouter, type PublicEnv } from '#server/core/http.ts';
import { memberActivity, memberReputation, tagActivity } from '#shared/discovery/activity.ts';
import { idParam, tagParam } from '#shared/core/fields.ts';
import { readMemberActivity, readMemberReputation, readTagActivity } from './activity.ts';

const memberActivityRoute = createRoute({
  method: 'get',
  path: '/members/{id}/activity',
  summary: "Get a member's posts per day (UTC) of the last year",
  request: { params: idParam },
  responses: { 200: jsonResponse(memberActivity, 'Days with activity'), ...problemResponses },
});

const memberReputationRoute = createRoute({
  method: 'get',
  path: '/members/{id}/reputation',
  summary: "Get a member's reputation over the last year, from existing votes",
  request: { params: idParam },
  responses: { 200: jsonResponse(memberReputation, 'Days on which it changed'), ...problemResponses },
});

const tagActivityRoute = createRoute({
  method: 'get',
  path: '/tags/{tag}/activity',
  summary: "Get a tag's questions and answers per week of the last year",
  request: { params: tagParam },
  responses: { 200: jsonResponse(tagActivity, 'Weeks with activity'), ...problemResponses },
});

export function activityRoutes() {
  const routes = createRouter<PublicEnv>();
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

/** The browser caches a chart and revalidates it on each use, so that the member's own posts appear immediately. */
function setRevalidation(c: Context): void {
  c.header('cache-control', 'private, no-cache');
  c.header('vary', 'cookie', { append: true });
}
