import { createRoute, z } from '@hono/zod-openapi';
import {
  jsonResponse,
  type RouteDeps,
  idempotencyHeaders,
  jsonBody,
  problemResponses,
  createRouter,
  type PublicEnv,
} from '#server/core/http.ts';
import type { WriteLimits } from './write-limits.ts';
import {
  acceptanceDraft,
  acceptanceState,
  answer,
  answerDraft,
  answerEdit,
  answerSort,
  answersPage,
  answersPagePosition,
} from '#shared/posts/answers.ts';
import { draftHeader, draftHeaders } from '#shared/posts/drafts.ts';
import { heldPostId } from '#shared/posts/held-posts.ts';
import { cursorQuery, idParam } from '#shared/core/fields.ts';
import { acceptAnswer } from './answers-acceptance.ts';
import { createAnswerBatcher } from './answers-posting.ts';
import { deleteAnswer, findAnswersPage, listAnswersOfQuestion, readAnswer } from './answers.ts';
import { editOwnPost } from './post-edits.ts';

const list = createRoute({
  method: 'get',
  path: '/questions/{id}/answers',
  summary: 'List the answers to a question with their first replies',
  request: { params: idParam, query: z.object({ sort: answerSort.default('newest'), cursor: cursorQuery }) },
  responses: { 200: jsonResponse(answersPage, 'A page of answers'), ...problemResponses },
});

const position = createRoute({
  method: 'get',
  path: '/questions/{id}/answers/position',
  summary: 'Find the page of answers that has an answer or a reply',
  request: {
    params: idParam,
    query: z.object({
      sort: answerSort.default('newest'),
      kind: z.enum(['answer', 'reply']),
      post: idParam.shape.id,
    }),
  },
  responses: { 200: jsonResponse(answersPagePosition, 'Where the page begins'), ...problemResponses },
});

const post = createRoute({
  method: 'post',
  path: '/questions/{id}/answers',
  summary: 'Answer a question',
  request: { params: idParam, headers: idempotencyHeaders, body: jsonBody(answerDraft) },
  responses: {
    201: jsonResponse(answer, 'Posted'),
    202: jsonResponse(heldPostId, 'Waits for a moderator'),
    ...problemResponses,
  },
});

const accept = createRoute({
  method: 'put',
  path: '/questions/{id}/accepted-answer',
  summary: "Accept an answer as the question's author, or none",
  request: { params: idParam, body: jsonBody(acceptanceDraft) },
  responses: { 200: jsonResponse(acceptanceState, 'The updated state'), ...problemResponses },
});

const edit = createRoute({
  method: 'put',
  path: '/answers/{id}',
  summary: "Edit the viewer's own answer",
  request: { params: idParam, headers: draftHeaders, body: jsonBody(answerEdit) },
  responses: { 200: jsonResponse(answer, 'The updated state'), ...problemResponses },
});

const remove = createRoute({
  method: 'delete',
  path: '/answers/{id}',
  summary: "Delete the viewer's own answer with its replies",
  request: { params: idParam },
  responses: { 204: { description: 'Deleted' }, ...problemResponses },
});

/** What visitors may read too. */
export const publicAnswerRoutes = () =>
  createRouter<PublicEnv>()
    .openapi(list, async (c) => {
      const wanted = {
        questionId: c.req.valid('param').id,
        viewer: c.get('viewer'),
        sort: c.req.valid('query').sort,
        cursor: c.req.valid('query').cursor,
      };
      return c.json(await listAnswersOfQuestion(c.get('reader'), wanted), 200);
    })
    .openapi(position, async (c) => {
      const { sort, kind, post: id } = c.req.valid('query');
      const wanted = { questionId: c.req.valid('param').id, sort, post: { kind, id } };
      return c.json(await findAnswersPage(c.get('reader'), wanted), 200);
    });

export function answerRoutes({
  db,
  limits,
  siteSettings: settings,
  settings: { publicUrl },
}: RouteDeps & { limits: WriteLimits }) {
  const postAnswer = createAnswerBatcher({ db, publicUrl, settings });
  return createRouter()
    .openapi(post, async (c) => {
      const viewer = c.get('viewer');
      const key = c.req.valid('header')['idempotency-key'];
      await limits.post('answer', { memberId: viewer.id, key, text: c.req.valid('json').content });
      const posted = await postAnswer({
        questionId: c.req.valid('param').id,
        viewer,
        key,
        draft: c.req.valid('json'),
      });
      return 'held' in posted ? c.json(posted, 202) : c.json(posted, 201);
    })
    .openapi(accept, async (c) => {
      const viewer = c.get('viewer');
      await limits.vote(viewer.id);
      const wanted = { questionId: c.req.valid('param').id, viewer, ...c.req.valid('json') };
      return c.json(await acceptAnswer(db, wanted), 200);
    })
    .openapi(edit, async (c) => {
      const target = { id: c.req.valid('param').id, viewer: c.get('viewer') };
      const key = c.req.valid('header')[draftHeader];
      await limits.edit(target.viewer.id, c.req.valid('json').content);
      await editOwnPost(db, {
        post: { kind: 'answer', id: target.id },
        viewer: target.viewer,
        key,
        draft: c.req.valid('json'),
        publicUrl,
        settings,
      });
      return c.json(await readAnswer(db, target), 200);
    })
    .openapi(remove, async (c) => {
      await deleteAnswer(db, { id: c.req.valid('param').id, viewer: c.get('viewer') });
      return c.body(null, 204);
    });
}
