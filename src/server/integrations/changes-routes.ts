import { createRoute } from '@hono/zod-openapi';
import { etag } from 'hono/etag';
import { createRouter, jsonResponse, problemResponses, type PublicEnv } from '#server/core/http.ts';
import { sendJson } from '#server/core/response-cache-http.ts';
import { type ChangesPage, changesPage, changesQuery } from '#shared/integrations/changes.ts';
import { readChangesJson } from './changes.ts';

const list = createRoute({
  method: 'get',
  path: '/changes',
  summary: 'List what changed in public, for mirrors',
  description:
    'Members, tags, questions, answers and replies in the order of their last change, with what is public of each now. ' +
    '`item` is null for what was deleted or hidden. Read without a cursor until `hasMore` is false, then again with the ' +
    'last cursor to get only what changed since. 410: delete the copy and start again.',
  request: { query: changesQuery },
  responses: { 200: jsonResponse(changesPage, 'A page of changes'), ...problemResponses },
});

export function changeRoutes() {
  const routes = createRouter<PublicEnv>();
  routes.use(list.path, etag());
  return routes.openapi(list, async (c) => {
    const json = await readChangesJson(c.get('reader'), c.req.valid('query'));
    c.header('cache-control', 'private, no-cache');
    c.header('vary', 'cookie, authorization', { append: true });
    return sendJson<ChangesPage>(c, json);
  });
}
