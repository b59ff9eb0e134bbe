import { createRoute, z } from '@hono/zod-openapi';
import { mutesTopics } from '#server/mutes/hidden.ts';
import { answers, problems, router } from '#server/platform/http.ts';
import { type Pages, send } from '#server/platform/read-models/sending.ts';
import { feed } from '#shared/feeds.ts';
import { cursorQuery } from '#shared/fields.ts';
import { type FeedPage, feedPage, mutedChoice } from '#shared/mutes.ts';
import { readFeedWithoutMuted } from './feeds.ts';
import { wholeFeedPage } from './page.ts';

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

export function feedRoutes({ pages }: { pages: Pages }) {
  return router().openapi(read, async (c) => {
    const { feed } = c.req.valid('param');
    const { cursor, muted } = c.req.valid('query');
    const viewer = c.get('viewer');
    const page = wholeFeedPage({ feed, cursor });
    if (muted === 'hide' && (await pages.learn(c, mutesTopics(viewer.id))))
      return c.json(await readFeedWithoutMuted(c.get('reading'), { feed, viewer, cursor }), 200);
    return send<FeedPage>(c, await pages.read(c, page));
  });
}
