import { createRoute, z } from '@hono/zod-openapi';
import { answers, type Deps, json, problems, router } from '#server/platform/http.ts';
import { cursorQuery, idParam, tagParam } from '#shared/fields.ts';
import { mutedQuestions, mutedTopics, muteState } from '#shared/mutes.ts';
import { muteQuestion, muteTopic, readMutedQuestions, readMutedTopics } from './mutes.ts';

const question = createRoute({
  method: 'put',
  path: '/questions/{id}/mute',
  summary: 'Hear nothing more of a question, or hear of it again',
  request: { params: idParam, body: json(muteState) },
  responses: { 200: answers(muteState, 'As it is now'), ...problems },
});

const topic = createRoute({
  method: 'put',
  path: '/topics/{tag}/mute',
  summary: 'Take the questions of a topic out of the own feeds, or let them in again',
  request: { params: tagParam, body: json(muteState) },
  responses: { 200: answers(muteState, 'As it is now'), ...problems },
});

const topics = createRoute({
  method: 'get',
  path: '/mutes/topics',
  summary: 'The muted topics, the latest first',
  responses: { 200: answers(mutedTopics, '100 at most'), ...problems },
});

const questions = createRoute({
  method: 'get',
  path: '/mutes/questions',
  summary: 'The muted questions, the latest first',
  request: { query: z.object({ cursor: cursorQuery }) },
  responses: { 200: answers(mutedQuestions, 'A page of questions'), ...problems },
});

/** Mutes are private: every route here speaks of the member's own. */
export function muteRoutes({ db }: Deps) {
  return router()
    .openapi(question, async (c) => {
      const { muted } = c.req.valid('json');
      const questionId = c.req.valid('param').id;
      return c.json(await muteQuestion(db, { questionId, viewer: c.get('viewer'), muted }), 200);
    })
    .openapi(topic, async (c) => {
      const { muted } = c.req.valid('json');
      const { tag } = c.req.valid('param');
      return c.json(await muteTopic(db, { tag, viewer: c.get('viewer'), muted }), 200);
    })
    .openapi(topics, async (c) => c.json(await readMutedTopics(c.get('reading'), c.get('viewer')), 200))
    .openapi(questions, async (c) => {
      const { cursor } = c.req.valid('query');
      return c.json(await readMutedQuestions(c.get('reading'), { viewer: c.get('viewer'), cursor }), 200);
    });
}
