import { createRequire } from 'node:module';
import path from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import type { OpenAPIHono } from '@hono/zod-openapi';
import { Hono } from 'hono';
import packageJson from '#package.json' with { type: 'json' };

type Document = ReturnType<OpenAPIHono['getOpenAPI31Document']>;
type DocumentConfig = Parameters<OpenAPIHono['getOpenAPI31Document']>[0];

/** The API described for programs (OpenAPI 3.1) and, by the same document, for people. */
export function apiDocsRoutes(describe: (config: DocumentConfig) => Document): Hono {
  const viewer = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  let document: Document | undefined;
  const docs = new Hono();
  docs
    .get('/openapi.json', (c) => {
      document ??= describe(config);
      return c.json(document);
    })
    .get('/docs', (c) => c.html(page))
    .get('/docs/start.js', (c) =>
      c.body(startScript, 200, { 'content-type': 'text/javascript; charset=utf-8' }),
    )
    .use('/docs/*', serveStatic({ root: viewer, rewriteRequestPath: (url) => url.replace('/api/docs', '') }));
  return docs;
}

const config: DocumentConfig = {
  openapi: '3.1.0',
  info: {
    title: 'Parley',
    version: packageJson.version,
    description:
      'The API that the browser part itself uses. Sign in with `POST /api/session`; the answer sets a cookie. ' +
      'Errors are problem details (RFC 9457) with a stable `code`. Lists are paged by `nextCursor`. ' +
      'A `POST` with an `Idempotency-Key` can be repeated safely.',
    license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
  },
  servers: [{ url: '/api' }],
};

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · Parley</title>
<link rel="stylesheet" href="/api/docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="/api/docs/swagger-ui-bundle.js"></script>
<script src="/api/docs/start.js"></script>
</body>
</html>`;

const startScript = `SwaggerUIBundle({ url: '/api/openapi.json', dom_id: '#reference', deepLinking: true });\n`;
