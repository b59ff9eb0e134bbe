import { createRoute } from '@hono/zod-openapi';
import { answers, type Deps, json, problems, router } from '#server/platform/http.ts';
import { idParam } from '#shared/fields.ts';
import { followState } from '#shared/questions.ts';
import { followQuestion } from './follows.ts';

const question = createRoute({
  method: 'put',
  path: '/questions/{id}/follow',
  summary: 'Follow a question, or stop following it',
  request: { params: idParam, body: json(followState) },
  responses: { 200: answers(followState, 'As it is now'), ...problems },
});

export function followRoutes({ db }: Deps) {
  return router().openapi(question, async (c) => {
    const { following } = c.req.valid('json');
    const questionId = c.req.valid('param').id;
    return c.json(await followQuestion(db, { questionId, viewer: c.get('viewer'), following }), 200);
  });
}
