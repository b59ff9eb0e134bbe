import { createRoute, z } from '@hono/zod-openapi';
import { jsonResponse, problemResponses, createRouter, type PublicEnv } from '#server/core/http.ts';
import type { SendDocument } from '#server/core/response-cache-http.ts';
import { feed } from '#shared/discovery/feeds.ts';
import { cursorQuery } from '#shared/core/fields.ts';
import { feedViewer, mutedChoice } from '#shared/engagement/mutes.ts';
import { type QuestionCardsDocument, questionCardsDocument } from '#shared/posts/questions-document.ts';
import { readFeedViewer } from './feeds.ts';
import { feedDocument } from './feeds-document.ts';

const read = createRoute({
  method: 'get',
  path: '/feeds/{feed}',
  summary: 'List a feed of the home page, 20 questions at a time',
  request: { params: z.object({ feed }), query: z.object({ cursor: cursorQuery }) },
  responses: { 200: jsonResponse(questionCardsDocument, 'The same for every viewer'), ...problemResponses },
});

const readViewer = createRoute({
  method: 'get',
  path: '/viewer/feeds/{feed}',
  summary: 'Get what the viewer sees on a page of a feed: views, and the page without muted tags',
  request: {
    params: z.object({ feed }),
    query: z.object({ cursor: cursorQuery, muted: mutedChoice.default('hide') }),
  },
  responses: { 200: jsonResponse(feedViewer, "The viewer's values"), ...problemResponses },
});

export function feedRoutes({ sendDocument }: { sendDocument: SendDocument }) {
  return createRouter<PublicEnv>()
    .openapi(read, async (c) =>
      sendDocument<QuestionCardsDocument>(
        c,
        feedDocument({ ...c.req.valid('param'), cursor: c.req.valid('query').cursor }),
      ),
    )
    .openapi(readViewer, async (c) => {
      const { cursor, muted } = c.req.valid('query');
      const wanted = { ...c.req.valid('param'), viewer: c.get('viewer'), cursor, muted };
      return c.json(await readFeedViewer(c.get('reader'), wanted), 200);
    });
}
