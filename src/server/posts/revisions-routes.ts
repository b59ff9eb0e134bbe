import { createRoute, z } from '@hono/zod-openapi';
import { jsonResponse, problemResponses } from '#server/core/http.ts';
import { cursorQuery, idParam } from '#shared/core/fields.ts';
import { revision, revisionsPage } from '#shared/posts/revisions.ts';

/** A number as an id is one: no larger one can be asked for. */
const revisionParam = idParam.extend({ number: idParam.shape.id });

/** The list of a post's versions, and one of them with its text. @param post as in 'All versions of an answer'. */
export function revisionRoutes<Posts extends 'questions' | 'answers' | 'replies'>(
  posts: Posts,
  post: string,
) {
  return {
    list: createRoute({
      method: 'get',
      path: `/${posts}/{id}/revisions`,
      summary: `The versions of ${post}, the current one first, without their texts`,
      request: { params: idParam, query: z.object({ cursor: cursorQuery }) },
      responses: { 200: jsonResponse(revisionsPage, 'Newest first'), ...problemResponses },
    }),
    one: createRoute({
      method: 'get',
      path: `/${posts}/{id}/revisions/{number}`,
      summary: `One version of ${post} with its text`,
      request: { params: revisionParam },
      responses: { 200: jsonResponse(revision, 'The version'), ...problemResponses },
    }),
  };
}
