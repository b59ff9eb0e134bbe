import { createRoute, z } from '@hono/zod-openapi';
import { jsonResponse, problemResponses, createRouter } from '#server/core/http.ts';
import { type PageReader, sendPage } from '#server/core/response-cache-http.ts';
import { addressText, cursorQuery, tagParam } from '#shared/core/fields.ts';
import { type QuestionCards, questionCards } from '#shared/posts/questions.ts';
import {
  followedTagsSummary,
  followedTagsPage,
  type Tag,
  tag,
  type TagsPage,
  tagsPage,
  tagSort,
} from '#shared/discovery/tags.ts';
import { readFollowedTagsSummary, readFollowedTags } from './tags-followed.ts';
import { searchTags, tagDocument, tagQuestionsDocument, tagsDocument } from './tags-document.ts';

const list = createRoute({
  method: 'get',
  path: '/tags',
  summary: 'List tags with questions',
  request: {
    query: z.object({
      q: addressText.default(''),
      sort: tagSort.default('popular'),
      cursor: cursorQuery,
    }),
  },
  responses: { 200: jsonResponse(tagsPage, 'A page of tags'), ...problemResponses },
});

const read = createRoute({
  method: 'get',
  path: '/tags/{tag}',
  summary: 'Get a tag',
  request: { params: tagParam },
  responses: { 200: jsonResponse(tag, 'The tag'), ...problemResponses },
});

const questions = createRoute({
  method: 'get',
  path: '/tags/{tag}/questions',
  summary: 'List the questions of a tag, newest first',
  request: { params: tagParam, query: z.object({ cursor: cursorQuery }) },
  responses: { 200: jsonResponse(questionCards, 'A page of questions'), ...problemResponses },
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

export function tagRoutes({ pages }: { pages: PageReader }) {
  return createRouter()
    .openapi(list, async (c) => {
      const { q, sort, cursor } = c.req.valid('query');
      const viewer = c.get('viewer');
      // Searches for tags are too varied to be cached.
      if (q.trim() !== '')
        return c.json(await searchTags(c.get('reader'), { viewer, sort, cursor, query: q }), 200);
      return sendPage<TagsPage>(c, await pages.read(c, tagsDocument({ viewer, sort, cursor })));
    })
    .openapi(read, async (c) => {
      const { tag } = c.req.valid('param');
      return sendPage<Tag>(c, await pages.read(c, tagDocument({ tag, viewer: c.get('viewer') })));
    })
    .openapi(questions, async (c) => {
      const { tag } = c.req.valid('param');
      const { cursor } = c.req.valid('query');
      const page = tagQuestionsDocument({ tag, viewer: c.get('viewer'), cursor });
      return sendPage<QuestionCards>(c, await pages.read(c, page));
    })
    .openapi(followed, async (c) => {
      const { cursor } = c.req.valid('query');
      return c.json(await readFollowedTags(c.get('reader'), { viewer: c.get('viewer'), cursor }), 200);
    })
    .openapi(summary, async (c) =>
      c.json(await readFollowedTagsSummary(c.get('reader'), c.get('viewer')), 200),
    );
}
