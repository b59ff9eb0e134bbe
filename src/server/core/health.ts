import { Hono } from 'hono';

/**
 * What a process manager and a balancer ask, without a session: whether the process lives, which touches nothing, and
 * whether requests may be sent to it. `remark`: what an operator should know that a balancer need not.
 */
export function healthRoutes(isReady: () => boolean, warning: () => string | null = () => null): Hono {
  const health = new Hono();
  const headers = { 'cache-control': 'no-store' };
  health.get('/healthz', (c) => c.text('alive\n', 200, headers));
  health.get('/readyz', (c) =>
    isReady()
      ? c.text(['ready', warning(), ''].filter((line) => line !== null).join('\n'), 200, headers)
      : c.text('not ready\n', 503, headers),
  );
  return health;
}
