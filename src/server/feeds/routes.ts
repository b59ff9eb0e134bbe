import { createRoute, z } from '@hono/zod-openapi';
import { answers, problems, router } from '#server/platform/http.ts';
import { feed } from '#shared/feeds.ts';
import { cursorQuery } from '#shared/fields.ts';
import { feedPage, mutedChoice } from '#shared/mutes.ts';
import { readFeed } from './feeds.ts';

const read = createRoute({
  method: 'get',
  path: '/feeds/{feed}',
  summary: 'The questions of a tab of the home page, 20 at a time',
  request: {
    params: z.object({ feed }),
    query: z.object({ cursor: cursorQuery, muted: mutedChoice.default('hide') }),
  },
  responses: { 200: answers(feedPage, 'A page of questions'), ...problems },
});

export function feedRoutes() {
  return router().openapi(read, async (c) => {
    const { feed } = c.req.valid('param');
    const { cursor, muted } = c.req.valid('query');
    return c.json(await readFeed(c.get('reading'), { feed, viewer: c.get('viewer'), muted, cursor }), 200);
  });
}
