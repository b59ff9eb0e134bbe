import { createRoute, z } from '@hono/zod-openapi';
import { answers, problems, router } from '#server/platform/http.ts';
import { addressText, cursorQuery, tagParam } from '#shared/fields.ts';
import { questionCards } from '#shared/questions.ts';
import { followedSummary, followedTopics, topic, topics, topicSort } from '#shared/topics.ts';
import { readFollowedSummary, readFollowedTopics } from './followed.ts';
import { readTopic, readTopicQuestions, readTopics } from './topics.ts';

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
  summary: 'The first names of the followed topics, and how many there are',
  responses: { 200: answers(followedSummary, 'The summary'), ...problems },
});

export function topicRoutes() {
  return router()
    .openapi(list, async (c) => {
      const { q, sort, cursor } = c.req.valid('query');
      return c.json(
        await readTopics(c.get('reading'), { viewer: c.get('viewer'), query: q, sort, cursor }),
        200,
      );
    })
    .openapi(read, async (c) =>
      c.json(
        await readTopic(c.get('reading'), { tag: c.req.valid('param').tag, viewer: c.get('viewer') }),
        200,
      ),
    )
    .openapi(questions, async (c) => {
      const { cursor } = c.req.valid('query');
      const { tag } = c.req.valid('param');
      return c.json(
        await readTopicQuestions(c.get('reading'), { tag, viewer: c.get('viewer'), cursor }),
        200,
      );
    })
    .openapi(followed, async (c) => {
      const { cursor } = c.req.valid('query');
      return c.json(await readFollowedTopics(c.get('reading'), { viewer: c.get('viewer'), cursor }), 200);
    })
    .openapi(summary, async (c) => c.json(await readFollowedSummary(c.get('reading'), c.get('viewer')), 200));
}
