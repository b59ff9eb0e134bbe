import { createRoute, z } from '@hono/zod-openapi';
import { answers, problems, router } from '#server/platform/http.ts';
import { feed } from '#shared/feeds.ts';
import { cursorQuery } from '#shared/fields.ts';
import { questionCards } from '#shared/questions.ts';
import { readFeed } from './feeds.ts';

const read = createRoute({
  method: 'get',
  path: '/feeds/{feed}',
  summary: 'The questions of a tab of the home page, 20 at a time',
  request: { params: z.object({ feed }), query: z.object({ cursor: cursorQuery }) },
  responses: { 200: answers(questionCards, 'A page of questions'), ...problems },
});

export function feedRoutes() {
  return router().openapi(read, async (c) =>
    c.json(
      await readFeed(c.get('reading'), { ...c.req.valid('param'), cursor: c.req.valid('query').cursor }),
      200,
    ),
  );
}
