import { createRoute, z } from '@hono/zod-openapi';
import { createRouter, jsonBody, jsonResponse, problemResponses, type RouteDeps } from '#server/core/http.ts';
import type { WriteLimits } from '#server/posts/index.ts';
import { cursorQuery, idParam } from '#shared/core/fields.ts';
import {
  abilities,
  answerSuggestion,
  createdEditSuggestion,
  editDecision,
  editSuggestionCount,
  editSuggestionList,
  editSuggestions,
  editSuggestionTexts,
  questionSuggestion,
  replySuggestion,
} from '#shared/moderation/edit-suggestions.ts';
import { draftHeader, draftHeaders } from '#shared/posts/drafts.ts';
import { readAbilities } from './abilities.ts';
import {
  countSuggestions,
  decideSuggestion,
  readSuggestion,
  readSuggestions,
  suggestEdit,
  withdrawSuggestion,
} from './edit-suggestions.ts';

const suggestForQuestion = createRoute({
  method: 'post',
  path: '/questions/{id}/edit-suggestions',
  summary: 'Suggest an edit to a question of another member',
  request: { params: idParam, headers: draftHeaders, body: jsonBody(questionSuggestion) },
  responses: { 201: jsonResponse(createdEditSuggestion, 'Waits for approval, or made'), ...problemResponses },
});

const suggestForAnswer = createRoute({
  method: 'post',
  path: '/answers/{id}/edit-suggestions',
  summary: 'Suggest an edit to an answer of another member',
  request: { params: idParam, headers: draftHeaders, body: jsonBody(answerSuggestion) },
  responses: { 201: jsonResponse(createdEditSuggestion, 'Waits for approval, or made'), ...problemResponses },
});

const suggestForReply = createRoute({
  method: 'post',
  path: '/replies/{id}/edit-suggestions',
  summary: 'Suggest an edit to a reply of another member',
  request: { params: idParam, headers: draftHeaders, body: jsonBody(replySuggestion) },
  responses: { 201: jsonResponse(createdEditSuggestion, 'Waits for approval, or made'), ...problemResponses },
});

const list = createRoute({
  method: 'get',
  path: '/edit-suggestions',
  summary: 'List suggested edits that you can decide, or your own',
  request: { query: z.object({ list: editSuggestionList.default('review'), cursor: cursorQuery }) },
  responses: {
    200: jsonResponse(editSuggestions, 'To decide: the oldest first; your own: the latest first'),
    ...problemResponses,
  },
});

const count = createRoute({
  method: 'get',
  path: '/edit-suggestions/count',
  summary: 'Count the suggested edits that you can decide',
  responses: { 200: jsonResponse(editSuggestionCount, 'The current count'), ...problemResponses },
});

const read = createRoute({
  method: 'get',
  path: '/edit-suggestions/{id}',
  summary: 'Get a suggested edit with its texts',
  request: { params: idParam },
  responses: { 200: jsonResponse(editSuggestionTexts, 'The current state'), ...problemResponses },
});

const decide = createRoute({
  method: 'put',
  path: '/edit-suggestions/{id}/decision',
  summary: 'Approve a suggested edit, with changes or without, or reject it',
  request: { params: idParam, body: jsonBody(editDecision) },
  responses: { 204: { description: 'Decided' }, ...problemResponses },
});

const withdraw = createRoute({
  method: 'delete',
  path: '/edit-suggestions/{id}',
  summary: 'Withdraw your suggested edit',
  request: { params: idParam },
  responses: { 204: { description: 'Withdrawn' }, ...problemResponses },
});

const readOwnAbilities = createRoute({
  method: 'get',
  path: '/abilities',
  summary: 'Get what you may do with posts of others',
  responses: { 200: jsonResponse(abilities, 'By role, reputation and site settings'), ...problemResponses },
});

/** Edits of posts by other members than their authors. */
export function editSuggestionRoutes({
  db,
  limits,
  siteSettings: settings,
  settings: { publicUrl },
}: RouteDeps & { limits: WriteLimits }) {
  return createRouter()
    .openapi(suggestForQuestion, async (c) => {
      const { title, content, tags, summary, basedOn } = c.req.valid('json');
      const viewer = c.get('viewer');
      await limits.edit(viewer.id, content);
      const post = { kind: 'question', id: c.req.valid('param').id } as const;
      const edit = { post, viewer, key: c.req.valid('header')[draftHeader], summary, basedOn };
      return c.json(
        await suggestEdit(db, { ...edit, texts: { title, content, tags }, settings, publicUrl }),
        201,
      );
    })
    .openapi(suggestForAnswer, async (c) => {
      const { content, summary, basedOn } = c.req.valid('json');
      const viewer = c.get('viewer');
      await limits.edit(viewer.id, content);
      const post = { kind: 'answer', id: c.req.valid('param').id } as const;
      const edit = { post, viewer, key: c.req.valid('header')[draftHeader], summary, basedOn };
      const texts = { title: null, content, tags: null };
      return c.json(await suggestEdit(db, { ...edit, texts, settings, publicUrl }), 201);
    })
    .openapi(suggestForReply, async (c) => {
      const { content, summary, basedOn } = c.req.valid('json');
      const viewer = c.get('viewer');
      await limits.edit(viewer.id, content);
      const post = { kind: 'reply', id: c.req.valid('param').id } as const;
      const edit = { post, viewer, key: c.req.valid('header')[draftHeader], summary, basedOn };
      const texts = { title: null, content, tags: null };
      return c.json(await suggestEdit(db, { ...edit, texts, settings, publicUrl }), 201);
    })
    .openapi(list, async (c) => {
      const wanted = { ...c.req.valid('query'), viewer: c.get('viewer'), settings };
      return c.json(await readSuggestions(db, wanted), 200);
    })
    .openapi(count, async (c) => {
      const open = await countSuggestions(db, { viewer: c.get('viewer'), settings });
      return c.json({ open }, 200);
    })
    .openapi(read, async (c) => {
      const { id } = c.req.valid('param');
      return c.json(await readSuggestion(db, { id, viewer: c.get('viewer'), settings }), 200);
    })
    .openapi(decide, async (c) => {
      const decided = { ...c.req.valid('param'), viewer: c.get('viewer'), decision: c.req.valid('json') };
      await limits.edit(decided.viewer.id, decided.decision.texts?.content ?? '');
      await decideSuggestion(db, { ...decided, settings, publicUrl });
      return c.body(null, 204);
    })
    .openapi(withdraw, async (c) => {
      await withdrawSuggestion(db, { ...c.req.valid('param'), viewer: c.get('viewer') });
      return c.body(null, 204);
    })
    .openapi(readOwnAbilities, async (c) =>
      c.json(await readAbilities(db, { viewer: c.get('viewer'), settings }), 200),
    );
}
