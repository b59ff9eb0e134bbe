import { createRoute, z } from '@hono/zod-openapi';
import {
  jsonResponse,
  problemResponses,
  createRouter,
  type PublicEnv,
  type RouteDeps,
} from '#server/core/http.ts';
import type { SendDocument } from '#server/core/response-cache-http.ts';
import { addressText, cursorQuery, tagParam } from '#shared/core/fields.ts';
import {
  type QuestionCardsDocument,
  questionCardsDocument,
  questionCardsViewer,
} from '#shared/posts/questions-document.ts';
import {
  followedTagsSummary,
  followedTagsPage,
  type TagDocument,
  tagDocument as tagSchema,
  type TagsDocument,
  tagsDocument as tagsSchema,
  tagSort,
  tagsViewer,
} from '#shared/discovery/tags.ts';
import { readFollowedTagsSummary, readFollowedTags } from './tags-followed.ts';
import {
  readTagQuestionsViewer,
  readTagsViewer,
  readTagViewer,
  searchTags,
  tagDocument,
  tagQuestionsDocument,
  tagsDocument,
} from './tags-document.ts';

const listRequest = {
  query: z.object({
    q: addressText.default(''),
    sort: tagSort.default('popular'),
    cursor: cursorQuery,
  }),
};
const questionsRequest = { params: tagParam, query: z.object({ cursor: cursorQuery }) };

const list = createRoute({
  method: 'get',
  path: '/tags',
  summary: 'List tags with questions',
  request: listRequest,
  responses: { 200: jsonResponse(tagsSchema, 'The same for every viewer'), ...problemResponses },
});

const listViewer = createRoute({
  method: 'get',
  path: '/viewer/tags',
  summary: 'List the tags of a page that the viewer follows or muted',
  request: listRequest,
  responses: { 200: jsonResponse(tagsViewer, "The viewer's values"), ...problemResponses },
});

const read = createRoute({
  method: 'get',
  path: '/tags/{tag}',
  summary: 'Get a tag',
  request: { params: tagParam },
  responses: { 200: jsonResponse(tagSchema, 'The same for every viewer'), ...problemResponses },
});

const readViewer = createRoute({
  method: 'get',
  path: '/viewer/tags/{tag}',
  summary: 'Get whether the viewer follows or muted a tag',
  request: { params: tagParam },
  responses: { 200: jsonResponse(tagsViewer, "The viewer's values"), ...problemResponses },
});

const questions = createRoute({
  method: 'get',
  path: '/tags/{tag}/questions',
  summary: 'List the questions of a tag, newest first',
  request: questionsRequest,
  responses: { 200: jsonResponse(questionCardsDocument, 'The same for every viewer'), ...problemResponses },
});

const questionsViewer = createRoute({
  method: 'get',
  path: '/viewer/tags/{tag}/questions',
  summary: 'Get the views of the questions of a tag',
  request: questionsRequest,
  responses: { 200: jsonResponse(questionCardsViewer, 'The views by id'), ...problemResponses },
});

const followed = createRoute({
  method: 'get',
  path: '/following/tags',
  summary: 'List followed tags with their newest questions, by name',
  request: { query: z.object({ cursor: cursorQuery }) },
  responses: { 200: jsonResponse(followedTagsPage, 'A page of tags'), ...problemResponses },
});

const summary = createRoute({
  method: 'get',
  path: '/following',
  summary: 'Get the first followed tags and their number, or suggestions if there are none',
  responses: { 200: jsonResponse(followedTagsSummary, 'The summary'), ...problemResponses },
});

export function tagRoutes({ sendDocument }: { sendDocument: SendDocument }) {
  return createRouter<PublicEnv>()
    .openapi(list, async (c) => {
      const { q: query, ...wanted } = c.req.valid('query');
      if (query.trim() !== '') return c.json(await searchTags(c.get('reader'), { ...wanted, query }), 200);
      return sendDocument<TagsDocument>(c, tagsDocument(wanted));
    })
    .openapi(listViewer, async (c) => {
      const { q: query, ...wanted } = c.req.valid('query');
      const viewer = c.get('viewer');
      return c.json(await readTagsViewer(c.get('reader'), { ...wanted, query, viewer }), 200);
    })
    .openapi(read, async (c) => sendDocument<TagDocument>(c, tagDocument(c.req.valid('param').tag)))
    .openapi(readViewer, async (c) => {
      const wanted = { tag: c.req.valid('param').tag, viewer: c.get('viewer') };
      return c.json(await readTagViewer(c.get('reader'), wanted), 200);
    })
    .openapi(questions, async (c) =>
      sendDocument<QuestionCardsDocument>(
        c,
        tagQuestionsDocument({ ...c.req.valid('param'), cursor: c.req.valid('query').cursor }),
      ),
    )
    .openapi(questionsViewer, async (c) => {
      const wanted = { ...c.req.valid('param'), cursor: c.req.valid('query').cursor };
      return c.json(await readTagQuestionsViewer(c.get('reader'), wanted), 200);
    });
}

/** For signed-in members only. */
export const followedTagRoutes = ({ siteSettings: settings }: Pick<RouteDeps, 'siteSettings'>) =>
  createRouter()
    .openapi(followed, async (c) => {
      const { cursor } = c.req.valid('query');
      return c.json(await readFollowedTags(c.get('reader'), { viewer: c.get('viewer'), cursor }), 200);
    })
    .openapi(summary, async (c) =>
      c.json(await readFollowedTagsSummary(c.get('reader'), { viewer: c.get('viewer'), settings }), 200),
    );
