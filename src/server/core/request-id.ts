import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { Logger } from 'pino';

/** What a request is known by, in the log and to whoever got its answer. */
export const requestIdHeader = 'x-request-id';

type RunningRequest = { id: string };

const running = new AsyncLocalStorage<RunningRequest>();

/** The id of the request that this is done for; undefined for what nobody asked for. */
export const getRequestId = (): string | undefined => running.getStore()?.id;

/**
 * Gives every request its id: that of the proxy in front where one is trusted, else a fresh one. Whatever is logged
 * until it is answered names it, and so does the answer. At the level `debug` each is logged, by its route: its address
 * may hold what a member looks for.
 */
export function trackRequests({
  trustedProxies,
  log,
}: {
  trustedProxies: number;
  log: Logger;
}): MiddlewareHandler {
  return (c, next) => {
    // A page that asks the API for what is inside it.
    if (running.getStore() !== undefined) return next();
    const id = (trustedProxies > 0 ? readRequestId(c) : undefined) ?? randomUUID();
    return running.run({ id }, async () => {
      const start = performance.now();
      await next();
      // Not by c.header: on an answer that is made, it makes another one, with a stream for its body.
      c.res.headers.set(requestIdHeader, id);
      if (!log.isLevelEnabled('debug')) return;
      const milliseconds = Math.round(performance.now() - start);
      log.debug(
        { method: c.req.method, route: routePath(c), status: c.res.status, milliseconds },
        'answered a request',
      );
    });
  };
}

/** Nothing that could be taken for another line of a log, or for markup. */
function readRequestId(c: Context): string | undefined {
  return /^[\w.-]{8,100}$/.exec(c.req.header(requestIdHeader) ?? '')?.[0];
}
