import { createRoute, z } from '@hono/zod-openapi';
import { answers, type Deps, json, problems, router } from '#server/platform/http.ts';
import {
  bookmarkDraft,
  bookmarkListDraft,
  bookmarkLists,
  bookmarkListsDraft,
  bookmarkNoteDraft,
  bookmarks,
  bookmarkState,
} from '#shared/bookmarks.ts';
import { addressText, cursorQuery, idParam } from '#shared/fields.ts';
import { created } from '#shared/questions.ts';
import { readBookmarks, setBookmark, setBookmarkLists, setNote } from './bookmarks.ts';
import { changeList, createList, readLists, removeList } from './lists.ts';

const question = createRoute({
  method: 'put',
  path: '/questions/{id}/bookmark',
  summary: 'Keep a question among the own bookmarks, or not',
  request: { params: idParam, body: json(bookmarkDraft) },
  responses: { 200: answers(bookmarkState, 'As it is now'), ...problems },
});

const answer = createRoute({
  method: 'put',
  path: '/answers/{id}/bookmark',
  summary: 'Keep an answer among the own bookmarks, or not',
  request: { params: idParam, body: json(bookmarkDraft) },
  responses: { 200: answers(bookmarkState, 'As it is now'), ...problems },
});

const read = createRoute({
  method: 'get',
  path: '/bookmarks',
  summary: 'The own bookmarks, newest first; `q` looks in notes and titles',
  request: {
    query: z.object({ q: addressText.default(''), list: idParam.shape.id.optional(), cursor: cursorQuery }),
  },
  responses: { 200: answers(bookmarks, 'A page of bookmarks'), ...problems },
});

const note = createRoute({
  method: 'put',
  path: '/bookmarks/{id}/note',
  summary: 'Set the note of a bookmark',
  request: { params: idParam, body: json(bookmarkNoteDraft) },
  responses: { 200: answers(bookmarkNoteDraft, 'As it is now'), ...problems },
});

const lists = createRoute({
  method: 'put',
  path: '/bookmarks/{id}/lists',
  summary: 'Set the lists a bookmark stands in',
  request: { params: idParam, body: json(bookmarkListsDraft) },
  responses: { 200: answers(bookmarkListsDraft, 'As they are now'), ...problems },
});

const readOwnLists = createRoute({
  method: 'get',
  path: '/bookmark-lists',
  summary: 'The own lists of bookmarks by name',
  responses: { 200: answers(bookmarkLists, 'The lists'), ...problems },
});

const create = createRoute({
  method: 'post',
  path: '/bookmark-lists',
  summary: 'Make a list; one of the same name is taken as it is',
  request: { body: json(bookmarkListDraft) },
  responses: { 201: answers(created, 'The list'), ...problems },
});

const rename = createRoute({
  method: 'put',
  path: '/bookmark-lists/{id}',
  summary: 'Rename a list',
  request: { params: idParam, body: json(bookmarkListDraft) },
  responses: { 200: answers(bookmarkListDraft, 'As it is now'), ...problems },
});

const remove = createRoute({
  method: 'delete',
  path: '/bookmark-lists/{id}',
  summary: 'Delete a list; its bookmarks stay',
  request: { params: idParam },
  responses: { 204: { description: 'It is gone' }, ...problems },
});

/** Bookmarks are private: every route here speaks of the member's own. */
export function bookmarkRoutes({ db }: Deps) {
  return router()
    .openapi(question, async (c) => {
      const target = { kind: 'question', id: c.req.valid('param').id } as const;
      return c.json(
        await setBookmark(db, { target, viewer: c.get('viewer'), draft: c.req.valid('json') }),
        200,
      );
    })
    .openapi(answer, async (c) => {
      const target = { kind: 'answer', id: c.req.valid('param').id } as const;
      return c.json(
        await setBookmark(db, { target, viewer: c.get('viewer'), draft: c.req.valid('json') }),
        200,
      );
    })
    .openapi(read, async (c) => {
      const { q, list, cursor } = c.req.valid('query');
      const wanted = { viewer: c.get('viewer'), listId: list ?? null, query: q, cursor };
      return c.json(await readBookmarks(c.get('reading'), wanted), 200);
    })
    .openapi(note, async (c) => {
      const body = c.req.valid('json');
      await setNote(db, { id: c.req.valid('param').id, viewer: c.get('viewer'), ...body });
      return c.json(body, 200);
    })
    .openapi(lists, async (c) => {
      const { listIds } = c.req.valid('json');
      const wanted = { id: c.req.valid('param').id, viewer: c.get('viewer'), listIds };
      return c.json({ listIds: await setBookmarkLists(db, wanted) }, 200);
    })
    .openapi(readOwnLists, async (c) => c.json(await readLists(c.get('reading'), c.get('viewer')), 200))
    .openapi(create, async (c) => {
      const id = await createList(db, { viewer: c.get('viewer'), ...c.req.valid('json') });
      return c.json({ id }, 201);
    })
    .openapi(rename, async (c) => {
      const body = c.req.valid('json');
      await changeList(db, { id: c.req.valid('param').id, viewer: c.get('viewer'), ...body });
      return c.json(body, 200);
    })
    .openapi(remove, async (c) => {
      await removeList(db, { id: c.req.valid('param').id, viewer: c.get('viewer') });
      return c.body(null, 204);
    });
}
