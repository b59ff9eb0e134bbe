import type { OpenAPIHono } from '@hono/zod-openapi';
import { apiTokenScopes } from './api-token-scopes.ts';

type Document = ReturnType<OpenAPIHono['getOpenAPI31Document']>;

/**
 * Adds to the OpenAPI document how requests are authenticated: by the cookie of a session, and for the endpoints that
 * accept one by an API token with a scope. What the operations describe themselves (`documentSecurity`) stays; those that
 * visitors can read accept a session or a token as well.
 */
export function addTokenScopes(document: Document): Document {
  const paths = Object.entries(document.paths ?? {}).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]: [string, { security?: object[] }]) => {
        const { security = [], ...described } = operation;
        const isOptional = security.some((each) => Object.keys(each).length === 0);
        if (operation.security !== undefined && !isOptional) return [method, operation];
        const scope = apiTokenScopes.get(`${method.toUpperCase()} ${path}`);
        const byToken = scope === undefined ? [] : [{ apiToken: [scope] }];
        return [method, { ...described, security: [...security, { session: [] }, ...byToken] }];
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
        replySecret: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The secret of the mail provider (`REPLY_SECRET`), also accepted as the password of HTTP Basic.',
        },
      },
    },
  };
}
