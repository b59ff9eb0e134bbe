import type { IncomingMessage, ServerResponse } from 'node:http';
import { overloadedError, toProblemResponse } from './errors.ts';
import { classifyRequest } from './request-limits.ts';
import type { Viewer } from './http.ts';
import type { SystemLoad } from './system-load.ts';

export type LoadSheddingOptions = {
  systemLoad: Pick<SystemLoad, 'level'>;
  /** The member of a session that was found to be good a moment ago. */
  viewerOf: (cookie: string) => Viewer | undefined;
  /** What every answer has. */
  headers: Readonly<Record<string, string>>;
  /** Answers what is not refused. */
  next: (request: IncomingMessage, response: ServerResponse) => unknown;
};

export type LoadShedding = { handler: LoadSheddingOptions['next']; rejectedCount: () => number };

/**
 * Where more is asked than a node can do, refuses a part at once with 503, before anything is done for it: a quick 'later'
 * to some is kinder than a slow answer to all, which is asked for again meanwhile. Visitors and searches go first, writes
 * next; what members read stays longest, and what is answered from memory in front of this always.
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
      // Spread, so that they do not come back all at once.
      'retry-after': String(2 + Math.floor(Math.random() * 4)),
      // The body is not read.
      ...(request.method !== 'GET' && { connection: 'close' }),
    });
    return response.end(request.method === 'HEAD' ? undefined : body);
  }

  /** The level from which on some of its kind are refused. */
  function priorityOf({ method = '', url = '', headers: { cookie } }: IncomingMessage): number {
    if (exemptPaths.test(url)) return Number.POSITIVE_INFINITY;
    const [path = ''] = url.split('?', 1);
    const requestClass = classifyRequest(method, path);
    if (cookie === undefined || requestClass === 'searching') return 0;
    // A session that is not known yet has to be looked up.
    return requestClass === 'writing' || viewerOf(cookie) === undefined ? 1 : 2;
  }
}

/** What tells of this node, and files that cost next to nothing. */
const exemptPaths = /^\/(?:healthz|readyz|metrics|assets\/)/;

const overloadedPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="5"><title>Parley is busy</title>
</head>
<body><p>Parley is very busy at the moment. This page tries again by itself in a few seconds.</p></body>
</html>`;
