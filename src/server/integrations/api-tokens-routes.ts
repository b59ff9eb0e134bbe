import { createRoute } from '@hono/zod-openapi';
import { createRouter, jsonBody, jsonResponse, problemResponses, type RouteDeps } from '#server/core/http.ts';
import { idParam } from '#shared/core/fields.ts';
import {
  apiTokenDraft,
  apiTokens as apiTokenList,
  createdApiToken,
} from '#shared/integrations/api-tokens.ts';
import type { ApiTokens } from './api-tokens.ts';

export type ApiTokenDeps = RouteDeps & { apiTokens: ApiTokens };

const list = createRoute({
  method: 'get',
  path: '/api-tokens',
  summary: "List the member's API tokens",
  responses: { 200: jsonResponse(apiTokenList, 'Newest first'), ...problemResponses },
});

const create = createRoute({
  method: 'post',
  path: '/api-tokens',
  summary: 'Create an API token',
  request: { body: jsonBody(apiTokenDraft) },
  responses: {
    201: jsonResponse(createdApiToken, 'Created; the token is only in this response'),
    ...problemResponses,
  },
});

const revoke = createRoute({
  method: 'delete',
  path: '/api-tokens/{id}',
  summary: 'Revoke an API token',
  request: { params: idParam },
  responses: { 204: { description: 'Revoked' }, ...problemResponses },
});

export function apiTokenRoutes({ apiTokens }: ApiTokenDeps) {
  return createRouter()
    .openapi(list, async (c) => c.json(await apiTokens.list(c.get('viewer').id), 200))
    .openapi(create, async (c) => c.json(await apiTokens.create(c.get('viewer'), c.req.valid('json')), 201))
    .openapi(revoke, async (c) => {
      await apiTokens.revoke(c.get('viewer'), c.req.valid('param').id);
      return c.body(null, 204);
    });
}
