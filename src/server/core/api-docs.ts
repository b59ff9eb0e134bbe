import { createRequire } from 'node:module';
import path from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import type { OpenAPIHono } from '@hono/zod-openapi';
import { Hono } from 'hono';
import { errorKinds } from '#shared/core/error-kinds.ts';
import { errorTable, getErrorKind, isErrorCode } from '#shared/errors.ts';
import packageJson from '#package.json' with { type: 'json' };

type Document = ReturnType<OpenAPIHono['getOpenAPI31Document']>;
type DocumentConfig = Parameters<OpenAPIHono['getOpenAPI31Document']>[0];

/** Serves the OpenAPI 3.1 document of the API and a reference page generated from it. */
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
      'The API that the web app uses. Sign in with `POST /api/session`; the response sets a cookie. ' +
      'Errors are problem details (RFC 9457). Lists are paged by `nextCursor`. ' +
      'A `POST` with an `Idempotency-Key` can be repeated safely.\n\n' +
      describeErrors(),
    license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
  },
  servers: [{ url: '/api' }],
};

/** The kinds of errors, each with its codes, in Markdown. */
function describeErrors(): string {
  const codes = Object.keys(errorTable).filter(isErrorCode);
  const kinds = Object.entries(errorKinds).map(([kind, { status, title }]) => {
    const own = codes.filter((code) => getErrorKind(code) === kind);
    return `| \`${kind}\` | ${status} | ${title} | ${own.map((code) => `\`${code}\``).join(', ')} |`;
  });
  return [
    '## Errors',
    '',
    'A problem has a stable `kind`, on which programs decide, and a stable `code`, which says exactly what is wrong.',
    '`detail` is the text of the code in English; `params` holds what the text is filled with. Where a request is not',
    'valid, `errors` names each field with a `code`, `params` and a `message` of its own.',
    '',
    '| kind | status | title | codes |',
    '| --- | --- | --- | --- |',
    ...kinds,
  ].join('\n');
}

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
