import { createRoute, z } from '@hono/zod-openapi';
import { createRouter, jsonResponse, type PublicEnv, problemResponses } from '#server/core/http.ts';
import { cursorQuery, idParam } from '#shared/core/fields.ts';
import { revision, revisionsPage } from '#shared/posts/revisions.ts';
import { listRevisions, readRevision } from './revisions-history.ts';

const revisionParam = idParam.extend({ number: idParam.shape.id });

function describeList<Posts extends 'questions' | 'answers' | 'replies'>(posts: Posts, post: string) {
  return createRoute({
    method: 'get',
    path: `/${posts}/{id}/revisions`,
    summary: `List the revisions of ${post} without texts, current first`,
    request: { params: idParam, query: z.object({ cursor: cursorQuery }) },
    responses: { 200: jsonResponse(revisionsPage, 'Newest first'), ...problemResponses },
  });
}

function describeOne<Posts extends 'questions' | 'answers' | 'replies'>(posts: Posts, post: string) {
  return createRoute({
    method: 'get',
    path: `/${posts}/{id}/revisions/{number}`,
    summary: `Get a revision of ${post}`,
    request: { params: revisionParam },
    responses: { 200: jsonResponse(revision, 'The revision'), ...problemResponses },
  });
}

/** The revisions of questions, answers and replies (docs/product.md 4.5). */
export function revisionRoutes() {
  return createRouter<PublicEnv>()
    .openapi(describeList('questions', 'a question'), async (c) => {
      const wanted = { ...c.req.valid('param'), ...c.req.valid('query'), viewer: c.get('viewer') };
      return c.json(await listRevisions(c.get('reader'), { kind: 'question', ...wanted }), 200);
    })
    .openapi(describeOne('questions', 'a question'), async (c) => {
      const wanted = { ...c.req.valid('param'), viewer: c.get('viewer') };
      return c.json(await readRevision(c.get('reader'), { kind: 'question', ...wanted }), 200);
    })
    .openapi(describeList('answers', 'an answer'), async (c) => {
      const wanted = { ...c.req.valid('param'), ...c.req.valid('query'), viewer: c.get('viewer') };
      return c.json(await listRevisions(c.get('reader'), { kind: 'answer', ...wanted }), 200);
    })
    .openapi(describeOne('answers', 'an answer'), async (c) => {
      const wanted = { ...c.req.valid('param'), viewer: c.get('viewer') };
      return c.json(await readRevision(c.get('reader'), { kind: 'answer', ...wanted }), 200);
    })
    .openapi(describeList('replies', 'a reply'), async (c) => {
      const wanted = { ...c.req.valid('param'), ...c.req.valid('query'), viewer: c.get('viewer') };
      return c.json(await listRevisions(c.get('reader'), { kind: 'reply', ...wanted }), 200);
    })
    .openapi(describeOne('replies', 'a reply'), async (c) => {
      const wanted = { ...c.req.valid('param'), viewer: c.get('viewer') };
      return c.json(await readRevision(c.get('reader'), { kind: 'reply', ...wanted }), 200);
    });
}
