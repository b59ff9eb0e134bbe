import type { OpenAPIHono } from '@hono/zod-openapi';
import { apiTokenScopes } from './api-token-scopes.ts';

type Document = ReturnType<OpenAPIHono['getOpenAPI31Document']>;

/**
 * Adds to the OpenAPI document how requests are authenticated: by the cookie of a session, and for the endpoints that
 * accept one by an API token with a scope.
 */
export function addTokenScopes(document: Document): Document {
  const paths = Object.entries(document.paths ?? {}).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]: [string, object]) => {
        const scope = apiTokenScopes.get(`${method.toUpperCase()} ${path}`);
        const byToken = scope === undefined ? [] : [{ apiToken: [scope] }];
        return [method, { ...operation, security: [{ session: [] }, ...byToken] }];
      }),
    ),
  ]);
  return {
    ...document,
    paths: Object.fromEntries(paths),
    components: {
      ...document.components,
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'parley.session_token',
          description: 'The cookie that `POST /session` sets. With https its name begins with `__Host-`.',
        },
        apiToken: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API token, which members create in their settings. The endpoint names the scope that the token needs. Endpoints without one refuse tokens.',
        },
      },
    },
  };
}
