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
import { type SendDocument, sendJson } from '#server/core/response-cache-http.ts';
import type { WriteLimits } from './write-limits.ts';
import { answerSort } from '#shared/posts/answers.ts';
import { draftHeader, draftHeaders } from '#shared/posts/drafts.ts';
import { cursorQuery, idParam } from '#shared/core/fields.ts';
import { heldPostId } from '#shared/posts/held-posts.ts';
import { newQuestion, ownQuestionEdit } from '#shared/posts/tag-proposals.ts';
import { tagRules } from '#shared/posts/tag-rules.ts';
import { createdId, question, questionTitles, maxQuestionTitles } from '#shared/posts/questions.ts';
import {
  type QuestionDocument,
  questionDocument as documentSchema,
  type QuestionViewer,
  questionViewer as viewerSchema,
} from '#shared/posts/questions-document.ts';
import { readTagRules } from './tag-rules.ts';
import { questionDocument, readQuestionViewer } from './questions-document.ts';
import { createViewBatcher } from './questions-views.ts';
import { editOwnQuestion } from './post-edits.ts';
import { askQuestion, deleteQuestion, readQuestion, readQuestionTitles } from './questions.ts';

const ask = createRoute({
  method: 'post',
  path: '/questions',
  summary: 'Ask a question',
  request: { headers: idempotencyHeaders, body: jsonBody(newQuestion) },
  responses: {
    201: jsonResponse(createdId, 'Posted'),
    202: jsonResponse(heldPostId, 'Waits for a moderator'),
    ...problemResponses,
  },
});

const readRules = createRoute({
  method: 'get',
  path: '/tag-rules',
  summary: 'Get whether the viewer may use or propose new tags, and which tags a question needs',
  responses: { 200: jsonResponse(tagRules, 'The rules for the viewer'), ...problemResponses },
});

const titles = createRoute({
  method: 'get',
  path: '/question-titles',
  summary: 'The titles of several questions, without ids that do not exist',
  request: { query: z.object({ ids: questionIdList() }) },
  responses: { 200: jsonResponse(questionTitles, 'In any order'), ...problemResponses },
});

const wantedPage = {
  params: idParam,
  query: z.object({ sort: answerSort.default('newest'), after: cursorQuery }),
};

const read = createRoute({
  method: 'get',
  path: '/questions/{id}',
  summary: 'Get a question with its first answers and replies',
  request: wantedPage,
  responses: { 200: jsonResponse(documentSchema, 'The same for every viewer'), ...problemResponses },
});

const readViewer = createRoute({
  method: 'get',
  path: '/viewer/questions/{id}',
  summary: "Get the viewer's own values on a question's page, and its views",
  request: wantedPage,
  responses: { 200: jsonResponse(viewerSchema, "The viewer's values"), ...problemResponses },
});

const edit = createRoute({
  method: 'put',
  path: '/questions/{id}',
  summary: "Edit the viewer's own question",
  request: { params: idParam, headers: draftHeaders, body: jsonBody(ownQuestionEdit) },
  responses: { 200: jsonResponse(question, 'The updated state'), ...problemResponses },
});

const remove = createRoute({
  method: 'delete',
  path: '/questions/{id}',
  summary: "Delete the viewer's own question with its answers and their replies",
  request: { params: idParam },
  responses: { 204: { description: 'Deleted' }, ...problemResponses },
});

const view = createRoute({
  method: 'put',
  path: '/questions/{id}/view',
  summary: 'Count a view, once per member, and store the time of the last visit',
  request: { params: idParam },
  responses: { 204: { description: 'Counted' }, ...problemResponses },
});

/** What visitors may read too. */
export function publicQuestionRoutes({ sendDocument }: { sendDocument: SendDocument }) {
  return createRouter<PublicEnv>()
    .openapi(titles, async (c) => {
      const items = await readQuestionTitles(c.get('reader'), c.req.valid('query').ids);
      return c.json({ items }, 200);
    })
    .openapi(read, async (c) =>
      sendDocument<QuestionDocument>(
        c,
        questionDocument({ id: c.req.valid('param').id, ...c.req.valid('query') }),
      ),
    )
    .openapi(readViewer, async (c) => {
      const wanted = { id: c.req.valid('param').id, ...c.req.valid('query'), viewer: c.get('viewer') };
      return sendJson<QuestionViewer>(c, await readQuestionViewer(c.get('reader'), wanted));
    });
}

export function questionRoutes({
  db,
  limits,
  siteSettings: settings,
  settings: { publicUrl },
}: RouteDeps & { limits: WriteLimits }) {
  const viewQuestion = createViewBatcher(db);
  return createRouter()
    .openapi(ask, async (c) => {
      const viewer = c.get('viewer');
      const key = c.req.valid('header')['idempotency-key'];
      await limits.post('question', { memberId: viewer.id, key, text: c.req.valid('json').content });
      const draft = c.req.valid('json');
      const { id, held } = await askQuestion(db, { viewer, key, draft, publicUrl, settings });
      return held ? c.json({ id, held }, 202) : c.json({ id }, 201);
    })
    .openapi(readRules, async (c) =>
      c.json(await readTagRules(c.get('reader'), { viewer: c.get('viewer'), settings }), 200),
    )
    .openapi(edit, async (c) => {
      const target = { id: c.req.valid('param').id, viewer: c.get('viewer') };
      const key = c.req.valid('header')[draftHeader];
      await limits.edit(target.viewer.id, c.req.valid('json').content);
      await editOwnQuestion(db, { ...target, key, draft: c.req.valid('json'), publicUrl, settings });
      return c.json(await readQuestion(db, target), 200);
    })
    .openapi(remove, async (c) => {
      await deleteQuestion(db, { id: c.req.valid('param').id, viewer: c.get('viewer') });
      return c.body(null, 204);
    })
    .openapi(view, async (c) => {
      await viewQuestion({ questionId: c.req.valid('param').id, memberId: c.get('viewer').id });
      return c.body(null, 204);
    });
}

/** '12,7,31': question ids as in URLs, with at most 15 digits, so that every one is a safe integer. */
function questionIdList() {
  const one = String.raw`[1-9]\d{0,14}`;
  return z
    .string()
    .max(maxQuestionTitles * 16)
    .regex(
      new RegExp(`^(${one}(,${one}){0,${maxQuestionTitles - 1}})?$`),
      `Up to ${maxQuestionTitles} numbers, separated by commas`,
    )
    .default('')
    .transform((list) => (list === '' ? [] : list.split(',').map(Number)));
}
