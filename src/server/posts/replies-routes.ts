import { createRoute, z } from '@hono/zod-openapi';
import { requireAnswer } from './answers.ts';
import type { Reader } from '#server/core/database.ts';
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
import { requireQuestion } from './questions.ts';
import { draftHeader, draftHeaders } from '#shared/posts/drafts.ts';
import { cursorQuery, idParam } from '#shared/core/fields.ts';
import { heldPostId } from '#shared/posts/held-posts.ts';
import { repliesPage, reply, replyDraft, replyEdit } from '#shared/posts/replies.ts';
import { editOwnPost } from './post-edits.ts';
import { deleteReply, postReply, readReply, listReplies } from './replies.ts';

const listOnAnswer = createRoute({
  method: 'get',
  path: '/answers/{id}/replies',
  summary: 'List the replies to an answer, oldest first',
  request: { params: idParam, query: z.object({ cursor: cursorQuery }) },
  responses: { 200: jsonResponse(repliesPage, 'A page of replies'), ...problemResponses },
});

const listOnQuestion = createRoute({
  method: 'get',
  path: '/questions/{id}/replies',
  summary: 'List the comments on a question, oldest first',
  request: { params: idParam, query: z.object({ cursor: cursorQuery }) },
  responses: { 200: jsonResponse(repliesPage, 'A page of replies'), ...problemResponses },
});

const postOnAnswer = createRoute({
  method: 'post',
  path: '/answers/{id}/replies',
  summary: 'Reply to an answer or to one of its replies',
  request: { params: idParam, headers: idempotencyHeaders, body: jsonBody(replyDraft) },
  responses: {
    201: jsonResponse(reply, 'Posted'),
    202: jsonResponse(heldPostId, 'Waits for a moderator'),
    ...problemResponses,
  },
});

const postOnQuestion = createRoute({
  method: 'post',
  path: '/questions/{id}/replies',
  summary: 'Comment on a question, or reply to a comment',
  request: { params: idParam, headers: idempotencyHeaders, body: jsonBody(replyDraft) },
  responses: {
    201: jsonResponse(reply, 'Posted'),
    202: jsonResponse(heldPostId, 'Waits for a moderator'),
    ...problemResponses,
  },
});

const edit = createRoute({
  method: 'put',
  path: '/replies/{id}',
  summary: "Edit the viewer's own reply",
  request: { params: idParam, headers: draftHeaders, body: jsonBody(replyEdit) },
  responses: { 200: jsonResponse(reply, 'The updated state'), ...problemResponses },
});

const remove = createRoute({
  method: 'delete',
  path: '/replies/{id}',
  summary: "Delete the viewer's own reply",
  request: { params: idParam },
  responses: { 204: { description: 'Deleted' }, ...problemResponses },
});

/** What visitors may read too. */
export const publicReplyRoutes = () =>
  createRouter<PublicEnv>()
    .openapi(listOnAnswer, async (c) => {
      const on = await onAnswer(c.get('reader'), c.req.valid('param').id);
      return c.json(
        await listReplies(c.get('reader'), {
          on,
          viewer: c.get('viewer'),
          cursor: c.req.valid('query').cursor,
        }),
        200,
      );
    })
    .openapi(listOnQuestion, async (c) => {
      const on = await onQuestion(c.get('reader'), c.req.valid('param').id);
      return c.json(
        await listReplies(c.get('reader'), {
          on,
          viewer: c.get('viewer'),
          cursor: c.req.valid('query').cursor,
        }),
        200,
      );
    });

export function replyRoutes({
  db,
  limits,
  siteSettings: settings,
  settings: { publicUrl },
}: RouteDeps & { limits: WriteLimits }) {
  return createRouter()
    .openapi(postOnAnswer, async (c) => {
      const viewer = c.get('viewer');
      const key = c.req.valid('header')['idempotency-key'];
      await limits.post('reply', { memberId: viewer.id, key, text: c.req.valid('json').content });
      const on = await onAnswer(db, c.req.valid('param').id);
      const draft = c.req.valid('json');
      const { id, held } = await postReply(db, { on, viewer, key, draft, publicUrl, settings });
      return held ? c.json({ id, held }, 202) : c.json(await readReply(db, { id, viewer }), 201);
    })
    .openapi(postOnQuestion, async (c) => {
      const viewer = c.get('viewer');
      const key = c.req.valid('header')['idempotency-key'];
      await limits.post('reply', { memberId: viewer.id, key, text: c.req.valid('json').content });
      const on = await onQuestion(db, c.req.valid('param').id);
      const draft = c.req.valid('json');
      const { id, held } = await postReply(db, { on, viewer, key, draft, publicUrl, settings });
      return held ? c.json({ id, held }, 202) : c.json(await readReply(db, { id, viewer }), 201);
    })
    .openapi(edit, async (c) => {
      const target = { id: c.req.valid('param').id, viewer: c.get('viewer') };
      const key = c.req.valid('header')[draftHeader];
      await limits.edit(target.viewer.id, c.req.valid('json').content);
      await editOwnPost(db, {
        post: { kind: 'reply', id: target.id },
        viewer: target.viewer,
        key,
        draft: c.req.valid('json'),
        publicUrl,
        settings,
      });
      return c.json(await readReply(db, target), 200);
    })
    .openapi(remove, async (c) => {
      await deleteReply(db, { id: c.req.valid('param').id, viewer: c.get('viewer') });
      return c.body(null, 204);
    });
}

async function onAnswer(db: Reader, answerId: number) {
  return { questionId: await requireAnswer(db, answerId), answerId };
}

async function onQuestion(db: Reader, questionId: number) {
  await requireQuestion(db, questionId);
  return { questionId, answerId: null };
}
