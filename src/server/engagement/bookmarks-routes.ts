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
  summary: 'Bookmark a question, or remove the bookmark',
  request: { params: idParam, body: jsonBody(bookmarkDraft) },
  responses: { 200: jsonResponse(bookmarkState, 'The current state'), ...problemResponses },
});

const answer = createRoute({
  method: 'put',
  path: '/answers/{id}/bookmark',
  summary: 'Bookmark an answer, or remove the bookmark',
  request: { params: idParam, body: jsonBody(bookmarkDraft) },
  responses: { 200: jsonResponse(bookmarkState, 'The current state'), ...problemResponses },
});

const read = createRoute({
  method: 'get',
  path: '/bookmarks',
  summary: 'List bookmarks, newest first; `q` searches notes and titles',
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
  responses: { 200: jsonResponse(bookmarkNoteDraft, 'The current state'), ...problemResponses },
});

const lists = createRoute({
  method: 'put',
  path: '/bookmarks/{id}/lists',
  summary: 'Set the lists of a bookmark',
  request: { params: idParam, body: jsonBody(bookmarkListsDraft) },
  responses: { 200: jsonResponse(bookmarkListsDraft, 'The current states'), ...problemResponses },
});

const readOwnLists = createRoute({
  method: 'get',
  path: '/bookmark-lists',
  summary: 'List the bookmark lists by name',
  responses: { 200: jsonResponse(bookmarkLists, 'The lists'), ...problemResponses },
});

const create = createRoute({
  method: 'post',
  path: '/bookmark-lists',
  summary: 'Create a bookmark list, or get the existing one of that name',
  request: { body: jsonBody(bookmarkListDraft) },
  responses: { 201: jsonResponse(createdId, 'The list'), ...problemResponses },
});

const rename = createRoute({
  method: 'put',
  path: '/bookmark-lists/{id}',
  summary: 'Rename a bookmark list',
  request: { params: idParam, body: jsonBody(bookmarkListDraft) },
  responses: { 200: jsonResponse(bookmarkListDraft, 'The current state'), ...problemResponses },
});

const remove = createRoute({
  method: 'delete',
  path: '/bookmark-lists/{id}',
  summary: 'Delete a bookmark list; its bookmarks stay',
  request: { params: idParam },
  responses: { 204: { description: 'Removed' }, ...problemResponses },
});

/** Bookmarks are private: every route reads and changes only the viewer's own. */
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
