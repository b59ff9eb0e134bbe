import { createRoute } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { etag } from 'hono/etag';
import { answers, problems, router } from '#server/platform/http.ts';
import { memberActivity, memberReputation, topicActivity } from '#shared/activity.ts';
import { idParam, tagParam } from '#shared/fields.ts';
import { readMemberActivity, readMemberReputation, readTopicActivity } from './activity.ts';

const ofMember = createRoute({
  method: 'get',
  path: '/members/{id}/activity',
  summary: "A member's questions, answers and replies on each day (UTC) of the last year",
  request: { params: idParam },
  responses: { 200: answers(memberActivity, 'Days with any'), ...problems },
});

const reputation = createRoute({
  method: 'get',
  path: '/members/{id}/reputation',
  summary: "A member's reputation over the last year, as the votes that stand give it",
  request: { params: idParam },
  responses: { 200: answers(memberReputation, 'Days on which it changed'), ...problems },
});

const ofTopic = createRoute({
  method: 'get',
  path: '/topics/{tag}/activity',
  summary: "A topic's questions and answers in each week of the last year",
  request: { params: tagParam },
  responses: { 200: answers(topicActivity, 'Weeks with any'), ...problems },
});

export function activityRoutes() {
  const routes = router();
  for (const { path } of [ofMember, reputation, ofTopic])
    routes.use(path.replace(/\{(\w+)\}/, ':$1'), etag());
  return routes
    .openapi(ofMember, async (c) => {
      const activity = await readMemberActivity(c.get('reading'), c.req.valid('param'));
      keepUntilChanged(c);
      return c.json(activity, 200);
    })
    .openapi(reputation, async (c) => {
      const read = await readMemberReputation(c.get('reading'), c.req.valid('param'));
      keepUntilChanged(c);
      return c.json(read, 200);
    })
    .openapi(ofTopic, async (c) => {
      const activity = await readTopicActivity(c.get('reading'), c.req.valid('param'));
      keepUntilChanged(c);
      return c.json(activity, 200);
    });
}

/** The browser keeps a picture of a year and asks whether it still holds: what one has just written shows at once. */
function keepUntilChanged(c: Context): void {
  c.header('cache-control', 'private, no-cache');
  c.header('vary', 'cookie', { append: true });
}
