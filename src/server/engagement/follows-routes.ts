import { createRoute, z } from '@hono/zod-openapi';
import { jsonResponse, type RouteDeps, jsonBody, problemResponses, createRouter } from '#server/core/http.ts';
import { cursorQuery, idParam, tagParam } from '#shared/core/fields.ts';
import { refuseNewTag } from '#server/posts/index.ts';
import { follows } from '#shared/engagement/follows.ts';
import { feedPage, mutedChoice } from '#shared/engagement/mutes.ts';
import { followState } from '#shared/posts/questions.ts';
import {
  followQuestion,
  followTag,
  readFollows,
  readFollowedQuestions,
  readRecentActivity,
} from './follows.ts';

const mutedQuery = mutedChoice.default('hide');

const question = createRoute({
  method: 'put',
  path: '/questions/{id}/follow',
  summary: 'Follow or unfollow a question',
  request: { params: idParam, body: jsonBody(followState) },
  responses: { 200: jsonResponse(followState, 'The current state'), ...problemResponses },
});

const followTagRoute = createRoute({
  method: 'put',
  path: '/tags/{tag}/follow',
  summary: 'Follow or unfollow a tag',
  request: { params: tagParam, body: jsonBody(followState) },
  responses: { 200: jsonResponse(followState, 'The current state'), ...problemResponses },
});

const questions = createRoute({
  method: 'get',
  path: '/following/questions',
  summary: 'List followed questions and questions with a followed tag, newest first',
  request: { query: z.object({ cursor: cursorQuery, muted: mutedQuery }) },
  responses: { 200: jsonResponse(feedPage, 'A page of questions'), ...problemResponses },
});

const activity = createRoute({
  method: 'get',
  path: '/following/activity',
  summary: "List this week's activity in followed questions and tags",
  request: { query: z.object({ muted: mutedQuery }) },
  responses: { 200: jsonResponse(feedPage, 'Latest activity first, at most 10'), ...problemResponses },
});

const followsRoute = createRoute({
  method: 'get',
  path: '/follows',
  summary: 'List the names and ids of everything the member follows',
  responses: { 200: jsonResponse(follows, 'Latest first, at most 1,000 of each'), ...problemResponses },
});

export function followRoutes({ db, siteSettings: settings }: RouteDeps) {
  return createRouter()
    .openapi(question, async (c) => {
      const { following } = c.req.valid('json');
      const questionId = c.req.valid('param').id;
      return c.json(await followQuestion(db, { questionId, viewer: c.get('viewer'), following }), 200);
    })
    .openapi(followTagRoute, async (c) => {
      const { following } = c.req.valid('json');
      const { tag } = c.req.valid('param');
      const viewer = c.get('viewer');
      if (following) await refuseNewTag(db, { viewer, tag, settings });
      return c.json(await followTag(db, { tag, viewer, following }), 200);
    })
    .openapi(questions, async (c) => {
      const { cursor, muted } = c.req.valid('query');
      const wanted = { viewer: c.get('viewer'), muted, cursor };
      return c.json(await readFollowedQuestions(c.get('reader'), wanted), 200);
    })
    .openapi(activity, async (c) => {
      const wanted = { viewer: c.get('viewer'), ...c.req.valid('query') };
      return c.json(await readRecentActivity(c.get('reader'), wanted), 200);
    })
    .openapi(followsRoute, async (c) => c.json(await readFollows(c.get('reader'), c.get('viewer')), 200));
}
