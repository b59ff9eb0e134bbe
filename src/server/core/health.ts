import { Hono } from 'hono';

/**
 * Health checks for process managers and load balancers, without a session: liveness, which checks nothing else, and
 * readiness to receive requests. `warning` returns a message for operators that does not affect readiness.
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
