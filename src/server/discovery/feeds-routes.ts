import { createRoute, z } from '@hono/zod-openapi';
import { hasMutedTags } from '#server/engagement/index.ts';
import { jsonResponse, problemResponses, createRouter } from '#server/core/http.ts';
import { type PageReader, sendPage } from '#server/core/response-cache-http.ts';
import { feed } from '#shared/discovery/feeds.ts';
import { cursorQuery } from '#shared/core/fields.ts';
import { type FeedPage, feedPage, mutedChoice } from '#shared/engagement/mutes.ts';
import { readFeedWithoutMuted } from './feeds.ts';
import { feedDocument } from './feeds-document.ts';

const read = createRoute({
  method: 'get',
  path: '/feeds/{feed}',
  summary: 'List a feed of the home page, 20 questions at a time',
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
    if (muted === 'hide' && (await pages.getMemberFlag(c, hasMutedTags(viewer.id))))
      return c.json(await readFeedWithoutMuted(c.get('reader'), { feed, viewer, cursor }), 200);
    return sendPage<FeedPage>(c, await pages.read(c, page));
  });
}
