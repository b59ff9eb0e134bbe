import { createRoute, z } from '@hono/zod-openapi';
import { answers, type Deps, json, problems, router } from '#server/platform/http.ts';
import { cursorQuery, idParam } from '#shared/fields.ts';
import { answerCards, profile, settings } from '#shared/profiles.ts';
import { questionCards } from '#shared/questions.ts';
import {
  changeSettings,
  limitOpenedAddresses,
  readAnswersBy,
  readProfile,
  readQuestionsBy,
  readSettings,
} from './profiles.ts';

const pageQuery = z.object({ cursor: cursorQuery });

const read = createRoute({
  method: 'get',
  path: '/members/{id}',
  summary: "A member's profile",
  request: { params: idParam },
  responses: { 200: answers(profile, 'The profile'), ...problems },
});

const questions = createRoute({
  method: 'get',
  path: '/members/{id}/questions',
  summary: "A member's questions, newest first",
  request: { params: idParam, query: pageQuery },
  responses: { 200: answers(questionCards, 'A page of questions'), ...problems },
});

const answered = createRoute({
  method: 'get',
  path: '/members/{id}/answers',
  summary: "A member's answers, newest first",
  request: { params: idParam, query: pageQuery },
  responses: { 200: answers(answerCards, 'A page of answers'), ...problems },
});

const ownSettings = createRoute({
  method: 'get',
  path: '/settings',
  summary: 'What the member decided about themselves',
  responses: { 200: answers(settings, 'The settings'), ...problems },
});

const change = createRoute({
  method: 'put',
  path: '/settings',
  summary: 'Change name, bio and who sees the address',
  request: { body: json(settings) },
  responses: { 200: answers(settings, 'As they are now'), ...problems },
});

export function profileRoutes({ db, settings: site }: Deps) {
  const mayOpen = limitOpenedAddresses(db, site);
  return router()
    .openapi(read, async (c) => {
      const wanted = { id: c.req.valid('param').id, viewer: c.get('viewer'), mayOpen };
      return c.json(await readProfile(c.get('reading'), wanted), 200);
    })
    .openapi(questions, async (c) => {
      const wanted = {
        id: c.req.valid('param').id,
        cursor: c.req.valid('query').cursor,
      };
      return c.json(await readQuestionsBy(c.get('reading'), wanted), 200);
    })
    .openapi(answered, async (c) => {
      const wanted = {
        id: c.req.valid('param').id,
        cursor: c.req.valid('query').cursor,
      };
      return c.json(await readAnswersBy(c.get('reading'), wanted), 200);
    })
    .openapi(ownSettings, async (c) => c.json(await readSettings(db, c.get('viewer')), 200))
    .openapi(change, async (c) =>
      c.json(await changeSettings(db, { viewer: c.get('viewer'), settings: c.req.valid('json') }), 200),
    );
}
