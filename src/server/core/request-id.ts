import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { Logger } from 'pino';

/** The id of a request, in the log and in the response. */
export const requestIdHeader = 'x-request-id';

type RunningRequest = { id: string };

const running = new AsyncLocalStorage<RunningRequest>();

/** The id of the current request. Undefined for background work. */
export const getRequestId = (): string | undefined => running.getStore()?.id;

/**
 * Gives every request an id: that of a trusted proxy or a new one. The id is in all log lines of the request and in the
 * response. At the level `debug`, each request is logged by its route, because the URL may contain search terms.
 */
export function trackRequests({
  trustedProxies,
  log,
}: {
  trustedProxies: number;
  log: Logger;
}): MiddlewareHandler {
  return (c, next) => {
    // An internal request from a page to the API.
    if (running.getStore() !== undefined) return next();
    const id = (trustedProxies > 0 ? readRequestId(c) : undefined) ?? randomUUID();
    return running.run({ id }, async () => {
      const start = performance.now();
      await next();
      // c.header would create a new response with a stream as its body.
      c.res.headers.set(requestIdHeader, id);
      if (!log.isLevelEnabled('debug')) return;
      const milliseconds = Math.round(performance.now() - start);
      log.debug(
        { method: c.req.method, route: routePath(c), status: c.res.status, milliseconds },
        'request completed',
      );
    });
  };
}

/** Refuses ids that could be mistaken for another log line or markup. */
function readRequestId(c: Context): string | undefined {
  return /^[\w.-]{8,100}$/.exec(c.req.header(requestIdHeader) ?? '')?.[0];
}
