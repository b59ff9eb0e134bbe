import { createRoute, z } from '@hono/zod-openapi';
import {
  jsonResponse,
  type RouteDeps,
  jsonBody,
  problemResponses,
  createRouter,
  type PublicEnv,
} from '#server/core/http.ts';
import { cursorQuery, idParam } from '#shared/core/fields.ts';
import { answerCards, memberSettings, profile, settingsChange } from '#shared/identity/profiles.ts';
import { questionCards } from '#shared/posts/questions.ts';
import type { QueueFormerName } from './former-names.ts';
import {
  changeSettings,
  createEmailViewLimit,
  readAnswersBy,
  readProfile,
  readQuestionsBy,
  readSettings,
} from './profiles.ts';

const pageQuery = z.object({ cursor: cursorQuery });

const read = createRoute({
  method: 'get',
  path: '/members/{id}',
  summary: "Get a member's profile",
  request: { params: idParam },
  responses: { 200: jsonResponse(profile, 'The profile'), ...problemResponses },
});

const questionsRoute = createRoute({
  method: 'get',
  path: '/members/{id}/questions',
  summary: "List a member's questions, newest first",
  request: { params: idParam, query: pageQuery },
  responses: { 200: jsonResponse(questionCards, 'A page of questions'), ...problemResponses },
});

const answersRoute = createRoute({
  method: 'get',
  path: '/members/{id}/answers',
  summary: "List a member's answers, newest first",
  request: { params: idParam, query: pageQuery },
  responses: { 200: jsonResponse(answerCards, 'A page of answers'), ...problemResponses },
});

const ownSettings = createRoute({
  method: 'get',
  path: '/settings',
  summary: 'Get the profile settings',
  responses: { 200: jsonResponse(memberSettings, 'The settings'), ...problemResponses },
});

const change = createRoute({
  method: 'put',
  path: '/settings',
  summary: 'Change the name, bio, location, website and visibility of the email address',
  request: { body: jsonBody(settingsChange) },
  responses: { 200: jsonResponse(memberSettings, 'The current states'), ...problemResponses },
});

export function profileRoutes({ db, settings: site }: RouteDeps) {
  const canViewEmail = createEmailViewLimit(db, site);
  return createRouter<PublicEnv>()
    .openapi(read, async (c) => {
      const wanted = { id: c.req.valid('param').id, viewer: c.get('viewer'), canViewEmail };
      return c.json(await readProfile(c.get('reader'), wanted), 200);
    })
    .openapi(questionsRoute, async (c) => {
      const wanted = {
        id: c.req.valid('param').id,
        cursor: c.req.valid('query').cursor,
      };
      return c.json(await readQuestionsBy(c.get('reader'), wanted), 200);
    })
    .openapi(answersRoute, async (c) => {
      const wanted = {
        id: c.req.valid('param').id,
        cursor: c.req.valid('query').cursor,
      };
      return c.json(await readAnswersBy(c.get('reader'), wanted), 200);
    });
}

export type SettingsDeps = RouteDeps & { queueFormerName: QueueFormerName | undefined };

/** The member's own settings. */
export const settingsRoutes = ({ db, queueFormerName }: SettingsDeps) =>
  createRouter()
    .openapi(ownSettings, async (c) => c.json(await readSettings(db, c.get('viewer')), 200))
    .openapi(change, async (c) => {
      const wanted = { viewer: c.get('viewer'), settings: c.req.valid('json'), queueFormerName };
      return c.json(await changeSettings(db, wanted), 200);
    });
