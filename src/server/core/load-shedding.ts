import type { IncomingMessage, ServerResponse } from 'node:http';
import { overloadedError, toProblemResponse } from './errors.ts';
import { classifyRequest } from './request-limits.ts';
import type { Viewer } from './http.ts';
import type { SystemLoad } from './system-load.ts';

export type LoadSheddingOptions = {
  systemLoad: Pick<SystemLoad, 'level'>;
  /** The member of a session that was verified recently. */
  viewerOf: (cookie: string) => Viewer | undefined;
  /** The headers of every response. */
  headers: Readonly<Record<string, string>>;
  /** Handles requests that are not refused. */
  next: (request: IncomingMessage, response: ServerResponse) => unknown;
};

export type LoadShedding = { handler: LoadSheddingOptions['next']; rejectedCount: () => number };

/**
 * Refuses a part of the requests with 503 when the node is overloaded, before doing any work for them. Slow responses
 * to everyone would only cause more retries. Visitors and searches are refused first, then writes, then members' reads.
 * Cached documents never reach this point.
 */
export async function createLoadShedding(options: LoadSheddingOptions): Promise<LoadShedding> {
  const { systemLoad, viewerOf, headers, next } = options;
  const refusal = toProblemResponse(overloadedError());
  const responses = {
    problem: { type: refusal.headers.get('content-type') ?? '', body: Buffer.from(await refusal.text()) },
    page: { type: 'text/html; charset=utf-8', body: Buffer.from(overloadedPage) },
  };
  let refused = 0;
  return { handler, rejectedCount: () => refused };

  function handler(request: IncomingMessage, response: ServerResponse): unknown {
    const level = systemLoad.level();
    if (level === 0 || level - priorityOf(request) <= Math.random()) return next(request, response);
    refused++;
    const { type, body } = request.url?.startsWith('/api/') ? responses.problem : responses.page;
    response.writeHead(503, {
      ...headers,
      'content-type': type,
      'content-length': String(body.length),
      'cache-control': 'no-store',
      // Random, so that clients do not retry at the same time.
      'retry-after': String(2 + Math.floor(Math.random() * 4)),
      // The body is not read.
      ...(request.method !== 'GET' && { connection: 'close' }),
    });
    return response.end(request.method === 'HEAD' ? undefined : body);
  }

  /** The load level from which on requests of this kind may be refused. */
  function priorityOf({ method = '', url = '', headers: { cookie } }: IncomingMessage): number {
    if (exemptPaths.test(url)) return Number.POSITIVE_INFINITY;
    const [path = ''] = url.split('?', 1);
    const requestClass = classifyRequest(method, path);
    if (cookie === undefined || requestClass === 'searching') return 0;
    // An unknown session requires a database query.
    return requestClass !== 'reading' || viewerOf(cookie) === undefined ? 1 : 2;
  }
}

/** Health checks, metrics and static files, which cost almost nothing. */
const exemptPaths = /^\/(?:(?:healthz|readyz|metrics)(?:\?|$)|assets\/)/;

const overloadedPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="5"><title>Parley is busy</title>
</head>
<body><p>The server is very busy at the moment. This page will reload automatically in a few seconds.</p></body>
</html>`;
