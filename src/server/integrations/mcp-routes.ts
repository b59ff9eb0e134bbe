import { type Context, Hono } from 'hono';
import { ProblemError, toProblemResponse } from '#server/core/errors.ts';
import type { RouteDeps } from '#server/core/http.ts';
import { getOrigin } from '#server/core/operator-settings.ts';
import { apiScope } from '#shared/integrations/api-tokens.ts';
import type { ApiTokens } from './api-tokens.ts';
import type { McpCaller } from './mcp-tools.ts';

export type McpDeps = RouteDeps & { apiTokens: ApiTokens } & Pick<McpCaller, 'fetchApi' | 'log'>;

export const mcpPath = '/mcp';

/** Metadata of a protected resource (RFC 9728, section 3.1). */
const metadataPath = `/.well-known/oauth-protected-resource${mcpPath}`;

/**
 * The MCP server for editors and agents (docs/decisions/101): streamable HTTP without sessions, by the official SDK. A
 * request needs an API token.
 */
export function mcpRoutes({ apiTokens, fetchApi, settings, siteSettings, log }: McpDeps) {
  const originOf = (c: Context) => getOrigin(settings, new URL(c.req.url));
  return new Hono()
    .get(metadataPath, (c) =>
      c.json({
        resource: `${originOf(c)}${mcpPath}`,
        resource_name: siteSettings.get('siteName'),
        resource_documentation: `${originOf(c)}/api/docs`,
        bearer_methods_supported: ['header'],
        scopes_supported: apiScope.options,
      }),
    )
    .all(mcpPath, async (c) => {
      const authorization = c.req.header('authorization') ?? '';
      try {
        const scopes = await apiTokens.authenticate(authorization);
        const caller = { fetchApi, origin: originOf(c), siteName: siteSettings.get('siteName'), log };
        // Loaded with the first request: most communities have none.
        const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([
          import('@modelcontextprotocol/server'),
          import('./mcp-tools.ts'),
        ]);
        const handler = createMcpHandler(() => createMcpServer({ ...caller, authorization, scopes }), {
          // Nothing changes that a program could subscribe to.
          maxSubscriptions: 0,
        });
        return await handler.fetch(c.req.raw);
      } catch (error) {
        if (!(error instanceof ProblemError) || error.kind !== 'token-refused') throw error;
        const response = toProblemResponse(error);
        const metadata = `resource_metadata="${originOf(c)}${metadataPath}"`;
        response.headers.set('www-authenticate', `Bearer error="invalid_token", ${metadata}`);
        return response;
      }
    });
}
