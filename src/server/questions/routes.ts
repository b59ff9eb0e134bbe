import { createRoute, z } from '@hono/zod-openapi';
import { answers, type Deps, idempotencyHeaders, json, problems, router } from '#server/platform/http.ts';
import { type Pages, send } from '#server/platform/read-models/sending.ts';
import type { PostingLimits } from '#server/posts/limits.ts';
import { revisionRoutes } from '#server/posts/revision-routes.ts';
import { answerSort } from '#shared/answers.ts';
import { draftHeader, draftHeaders } from '#shared/drafts.ts';
import { idParam } from '#shared/fields.ts';
import {
  created,
  question,
  questionDraft,
  questionEdit,
  type QuestionPage,
  questionPage,
  questionTitles,
  titlesMax,
} from '#shared/questions.ts';
import { deleteQuestion } from './deletion.ts';
import { questionPage as pageOf } from './page.ts';
import { createViewing } from './views.ts';
import {
  askQuestion,
  editQuestion,
  questionRevision,
  questionRevisions,
  readQuestion,
  readQuestionTitles,
} from './questions.ts';

const ask = createRoute({
  method: 'post',
  path: '/questions',
  summary: 'Ask a question',
  request: { headers: idempotencyHeaders, body: json(questionDraft) },
  responses: { 201: answers(created, 'Posted'), ...problems },
});

const titles = createRoute({
  method: 'get',
  path: '/question-titles',
  summary: 'The titles of several questions; those that are not there are left out',
  request: { query: z.object({ ids: questionNumbers() }) },
  responses: { 200: answers(questionTitles, 'In no order'), ...problems },
});

const read = createRoute({
  method: 'get',
  path: '/questions/{id}',
  summary: 'A question with its first answers and replies',
  request: { params: idParam, query: z.object({ sort: answerSort.default('newest') }) },
  responses: { 200: answers(questionPage, 'The page of a question'), ...problems },
});

const edit = createRoute({
  method: 'put',
  path: '/questions/{id}',
  summary: 'Edit an own question',
  request: { params: idParam, headers: draftHeaders, body: json(questionEdit) },
  responses: { 200: answers(question, 'As it is now'), ...problems },
});

const remove = createRoute({
  method: 'delete',
  path: '/questions/{id}',
  summary: 'Delete an own question with its answers and their replies',
  request: { params: idParam },
  responses: { 204: { description: 'Deleted' }, ...problems },
});

const view = createRoute({
  method: 'put',
  path: '/questions/{id}/view',
  summary: 'The member opens the question: counted once a member, and kept as their last visit',
  request: { params: idParam },
  responses: { 204: { description: 'Counted, now or before' }, ...problems },
});

const versions = revisionRoutes('questions', 'a question');

export type QuestionRoutesDeps = Deps & { limits: PostingLimits; pages: Pages };

export function questionRoutes({ db, limits, pages, settings: { publicUrl } }: QuestionRoutesDeps) {
  const viewQuestion = createViewing(db);
  return router()
    .openapi(ask, async (c) => {
      const viewer = c.get('viewer');
      const key = c.req.valid('header')['idempotency-key'];
      await limits.post('question', { memberId: viewer.id, key, text: c.req.valid('json').content });
      const id = await askQuestion(db, { viewer, key, draft: c.req.valid('json'), publicUrl });
      return c.json({ id }, 201);
    })
    .openapi(titles, async (c) => {
      const items = await readQuestionTitles(c.get('reading'), c.req.valid('query').ids);
      return c.json({ items }, 200);
    })
    .openapi(read, async (c) => {
      const viewer = c.get('viewer');
      const wanted = pageOf({ id: c.req.valid('param').id, viewer, ...c.req.valid('query') });
      return send<QuestionPage>(c, await pages.read(c, wanted));
    })
    .openapi(edit, async (c) => {
      const target = { id: c.req.valid('param').id, viewer: c.get('viewer') };
      const key = c.req.valid('header')[draftHeader];
      await limits.edit(target.viewer.id, c.req.valid('json').content);
      await editQuestion(db, { ...target, key, draft: c.req.valid('json'), publicUrl });
      return c.json(await readQuestion(db, target), 200);
    })
    .openapi(remove, async (c) => {
      await deleteQuestion(db, { id: c.req.valid('param').id, viewer: c.get('viewer') });
      return c.body(null, 204);
    })
    .openapi(view, async (c) => {
      await viewQuestion({ questionId: c.req.valid('param').id, memberId: c.get('viewer').id });
      return c.body(null, 204);
    })
    .openapi(versions.list, async (c) => {
      const { id } = c.req.valid('param');
      const wanted = { id, viewer: c.get('viewer'), cursor: c.req.valid('query').cursor };
      return c.json(await questionRevisions(c.get('reading'), wanted), 200);
    })
    .openapi(versions.one, async (c) => {
      const wanted = { ...c.req.valid('param'), viewer: c.get('viewer') };
      return c.json(await questionRevision(c.get('reading'), wanted), 200);
    });
}

/** '12,7,31': numbers of questions, each as an id is written in an address, of 15 digits at most: any is safe. */
function questionNumbers() {
  const one = String.raw`[1-9]\d{0,14}`;
  return z
    .string()
    .max(titlesMax * 16)
    .regex(
      new RegExp(`^(${one}(,${one}){0,${titlesMax - 1}})?$`),
      `Up to ${titlesMax} numbers, separated by commas`,
    )
    .default('')
    .transform((list) => (list === '' ? [] : list.split(',').map(Number)));
}
