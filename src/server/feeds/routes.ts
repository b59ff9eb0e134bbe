import { createRoute, z } from '@hono/zod-openapi';
import { hasMutedTags } from '#server/mutes/hidden.ts';
import { jsonResponse, problemResponses, createRouter } from '#server/platform/http.ts';
import { type PageReader, sendPage } from '#server/platform/read-models/sending.ts';
import { feed } from '#shared/feeds.ts';
import { cursorQuery } from '#shared/fields.ts';
import { type FeedPage, feedPage, mutedChoice } from '#shared/mutes.ts';
import { readFeedWithoutMuted } from './feeds.ts';
import { feedDocument } from './page.ts';

const read = createRoute({
  method: 'get',
  path: '/feeds/{feed}',
  summary: 'The questions of a tab of the home page, 20 at a time',
  request: {
    params: z.object({ feed }),
    query: z.object({ cursor: cursorQuery, muted: mutedChoice.default('hide') }),
  },
  responses: { 200: jsonResponse(feedPage, 'A page of questions'), ...problemResponses },
});

export function feedRoutes({ pages }: { pages: PageReader }) {
  return createRouter().openapi(read, async (c) => {
    const { feed } = c.req.valid('param');
    const { cursor, muted } = c.req.valid('query');
    const viewer = c.get('viewer');
    const page = feedDocument({ feed, cursor });
    if (muted === 'hide' && (await pages.getFact(c, hasMutedTags(viewer.id))))
      return c.json(await readFeedWithoutMuted(c.get('reader'), { feed, viewer, cursor }), 200);
    return sendPage<FeedPage>(c, await pages.read(c, page));
  });
}
