import { createRoute, z } from '@hono/zod-openapi';
import { jsonResponse, type RouteDeps, jsonBody, problemResponses, createRouter } from '#server/core/http.ts';
import {
  bookmarkDraft,
  bookmarkListDraft,
  bookmarkLists,
  bookmarkListsDraft,
  bookmarkNoteDraft,
  bookmarks,
  bookmarkState,
} from '#shared/engagement/bookmarks.ts';
import { addressText, cursorQuery, idParam } from '#shared/core/fields.ts';
import { createdId } from '#shared/posts/questions.ts';
import { readBookmarks, setBookmark, setBookmarkLists, setBookmarkNote } from './bookmarks.ts';
import {
  renameBookmarkList,
  createBookmarkList,
  readBookmarkLists,
  deleteBookmarkList,
} from './bookmarks-lists.ts';

const question = createRoute({
  method: 'put',
  path: '/questions/{id}/bookmark',
  summary: 'Keep a question among the own bookmarks, or not',
  request: { params: idParam, body: jsonBody(bookmarkDraft) },
  responses: { 200: jsonResponse(bookmarkState, 'As it is now'), ...problemResponses },
});

const answer = createRoute({
  method: 'put',
  path: '/answers/{id}/bookmark',
  summary: 'Keep an answer among the own bookmarks, or not',
  request: { params: idParam, body: jsonBody(bookmarkDraft) },
  responses: { 200: jsonResponse(bookmarkState, 'As it is now'), ...problemResponses },
});

const read = createRoute({
  method: 'get',
  path: '/bookmarks',
  summary: 'The own bookmarks, newest first; `q` looks in notes and titles',
  request: {
    query: z.object({ q: addressText.default(''), list: idParam.shape.id.optional(), cursor: cursorQuery }),
  },
  responses: { 200: jsonResponse(bookmarks, 'A page of bookmarks'), ...problemResponses },
});

const note = createRoute({
  method: 'put',
  path: '/bookmarks/{id}/note',
  summary: 'Set the note of a bookmark',
  request: { params: idParam, body: jsonBody(bookmarkNoteDraft) },
  responses: { 200: jsonResponse(bookmarkNoteDraft, 'As it is now'), ...problemResponses },
});

const lists = createRoute({
  method: 'put',
  path: '/bookmarks/{id}/lists',
  summary: 'Set the lists a bookmark stands in',
  request: { params: idParam, body: jsonBody(bookmarkListsDraft) },
  responses: { 200: jsonResponse(bookmarkListsDraft, 'As they are now'), ...problemResponses },
});

const readOwnLists = createRoute({
  method: 'get',
  path: '/bookmark-lists',
  summary: 'The own lists of bookmarks by name',
  responses: { 200: jsonResponse(bookmarkLists, 'The lists'), ...problemResponses },
});

const create = createRoute({
  method: 'post',
  path: '/bookmark-lists',
  summary: 'Make a list; one of the same name is taken as it is',
  request: { body: jsonBody(bookmarkListDraft) },
  responses: { 201: jsonResponse(createdId, 'The list'), ...problemResponses },
});

const rename = createRoute({
  method: 'put',
  path: '/bookmark-lists/{id}',
  summary: 'Rename a list',
  request: { params: idParam, body: jsonBody(bookmarkListDraft) },
  responses: { 200: jsonResponse(bookmarkListDraft, 'As it is now'), ...problemResponses },
});

const remove = createRoute({
  method: 'delete',
  path: '/bookmark-lists/{id}',
  summary: 'Delete a list; its bookmarks stay',
  request: { params: idParam },
  responses: { 204: { description: 'It is gone' }, ...problemResponses },
});

/** Bookmarks are private: every route here speaks of the member's own. */
export function bookmarkRoutes({ db }: RouteDeps) {
  return createRouter()
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
      return c.json(await readBookmarks(c.get('reader'), wanted), 200);
    })
    .openapi(note, async (c) => {
      const body = c.req.valid('json');
      await setBookmarkNote(db, { id: c.req.valid('param').id, viewer: c.get('viewer'), ...body });
      return c.json(body, 200);
    })
    .openapi(lists, async (c) => {
      const { listIds } = c.req.valid('json');
      const wanted = { id: c.req.valid('param').id, viewer: c.get('viewer'), listIds };
      return c.json({ listIds: await setBookmarkLists(db, wanted) }, 200);
    })
    .openapi(readOwnLists, async (c) =>
      c.json(await readBookmarkLists(c.get('reader'), c.get('viewer')), 200),
    )
    .openapi(create, async (c) => {
      const id = await createBookmarkList(db, { viewer: c.get('viewer'), ...c.req.valid('json') });
      return c.json({ id }, 201);
    })
    .openapi(rename, async (c) => {
      const body = c.req.valid('json');
      await renameBookmarkList(db, { id: c.req.valid('param').id, viewer: c.get('viewer'), ...body });
      return c.json(body, 200);
    })
    .openapi(remove, async (c) => {
      await deleteBookmarkList(db, { id: c.req.valid('param').id, viewer: c.get('viewer') });
      return c.body(null, 204);
    });
}
