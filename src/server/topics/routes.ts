import { createRoute, z } from '@hono/zod-openapi';
import { answers, problems, router } from '#server/platform/http.ts';
import { type Pages, send } from '#server/platform/read-models/sending.ts';
import { addressText, cursorQuery, tagParam } from '#shared/fields.ts';
import { type QuestionCards, questionCards } from '#shared/questions.ts';
import {
  followedSummary,
  followedTopics,
  type Topic,
  topic,
  type Topics,
  topics,
  topicSort,
} from '#shared/topics.ts';
import { readFollowedSummary, readFollowedTopics } from './followed.ts';
import { readTopicsNamed, topicPage, topicQuestionsPage, wholeTopicsPage } from './page.ts';

const list = createRoute({
  method: 'get',
  path: '/topics',
  summary: 'Topics with questions',
  request: {
    query: z.object({
      q: addressText.default(''),
      sort: topicSort.default('popular'),
      cursor: cursorQuery,
    }),
  },
  responses: { 200: answers(topics, 'A page of topics'), ...problems },
});

const read = createRoute({
  method: 'get',
  path: '/topics/{tag}',
  summary: 'One topic',
  request: { params: tagParam },
  responses: { 200: answers(topic, 'The topic'), ...problems },
});

const questions = createRoute({
  method: 'get',
  path: '/topics/{tag}/questions',
  summary: 'The questions of a topic, newest first',
  request: { params: tagParam, query: z.object({ cursor: cursorQuery }) },
  responses: { 200: answers(questionCards, 'A page of questions'), ...problems },
});

const followed = createRoute({
  method: 'get',
  path: '/following/topics',
  summary: 'The followed topics with their newest questions, by name',
  request: { query: z.object({ cursor: cursorQuery }) },
  responses: { 200: answers(followedTopics, 'A page of topics'), ...problems },
});

const summary = createRoute({
  method: 'get',
  path: '/following',
  summary: 'The first names of the followed topics, and how many there are; suggestions where there are none',
  responses: { 200: answers(followedSummary, 'The summary'), ...problems },
});

export function topicRoutes({ pages }: { pages: Pages }) {
  return router()
    .openapi(list, async (c) => {
      const { q, sort, cursor } = c.req.valid('query');
      const viewer = c.get('viewer');
      // Of what is looked for there is too much to be kept.
      if (q.trim() !== '')
        return c.json(await readTopicsNamed(c.get('reading'), { viewer, sort, cursor, query: q }), 200);
      return send<Topics>(c, await pages.read(c, wholeTopicsPage({ viewer, sort, cursor })));
    })
    .openapi(read, async (c) => {
      const { tag } = c.req.valid('param');
      return send<Topic>(c, await pages.read(c, topicPage({ tag, viewer: c.get('viewer') })));
    })
    .openapi(questions, async (c) => {
      const { tag } = c.req.valid('param');
      const { cursor } = c.req.valid('query');
      const page = topicQuestionsPage({ tag, viewer: c.get('viewer'), cursor });
      return send<QuestionCards>(c, await pages.read(c, page));
    })
    .openapi(followed, async (c) => {
      const { cursor } = c.req.valid('query');
      return c.json(await readFollowedTopics(c.get('reading'), { viewer: c.get('viewer'), cursor }), 200);
    })
    .openapi(summary, async (c) => c.json(await readFollowedSummary(c.get('reading'), c.get('viewer')), 200));
}
