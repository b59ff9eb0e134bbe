import { createRoute, z } from '@hono/zod-openapi';
import { jsonResponse, type RouteDeps, jsonBody, problemResponses, createRouter } from '#server/core/http.ts';
import { refuseNewTag } from '#server/posts/index.ts';
import { cursorQuery, idParam, tagParam } from '#shared/core/fields.ts';
import { mutedQuestions, mutedTags, muteState } from '#shared/engagement/mutes.ts';
import { muteQuestion, muteTag, readMutedQuestions, readMutedTags } from './mutes.ts';

const question = createRoute({
  method: 'put',
  path: '/questions/{id}/mute',
  summary: 'Mute or unmute a question',
  request: { params: idParam, body: jsonBody(muteState) },
  responses: { 200: jsonResponse(muteState, 'The current state'), ...problemResponses },
});

const muteTagRoute = createRoute({
  method: 'put',
  path: '/tags/{tag}/mute',
  summary: 'Mute or unmute a tag',
  request: { params: tagParam, body: jsonBody(muteState) },
  responses: { 200: jsonResponse(muteState, 'The current state'), ...problemResponses },
});

const mutedTagsRoute = createRoute({
  method: 'get',
  path: '/mutes/tags',
  summary: 'List muted tags, latest first',
  responses: { 200: jsonResponse(mutedTags, 'At most 100'), ...problemResponses },
});

const questions = createRoute({
  method: 'get',
  path: '/mutes/questions',
  summary: 'List muted questions, latest first',
  request: { query: z.object({ cursor: cursorQuery }) },
  responses: { 200: jsonResponse(mutedQuestions, 'A page of questions'), ...problemResponses },
});

/** Mutes are private: every route reads and changes only the viewer's own. */
export function muteRoutes({ db, siteSettings: settings }: RouteDeps) {
  return createRouter()
    .openapi(question, async (c) => {
      const { muted } = c.req.valid('json');
      const questionId = c.req.valid('param').id;
      return c.json(await muteQuestion(db, { questionId, viewer: c.get('viewer'), muted }), 200);
    })
    .openapi(muteTagRoute, async (c) => {
      const { muted } = c.req.valid('json');
      const { tag } = c.req.valid('param');
      const viewer = c.get('viewer');
      if (muted) await refuseNewTag(db, { viewer, tag, settings });
      return c.json(await muteTag(db, { tag, viewer, muted }), 200);
    })
    .openapi(mutedTagsRoute, async (c) => c.json(await readMutedTags(c.get('reader'), c.get('viewer')), 200))
    .openapi(questions, async (c) => {
      const { cursor } = c.req.valid('query');
      return c.json(await readMutedQuestions(c.get('reader'), { viewer: c.get('viewer'), cursor }), 200);
    });
}
