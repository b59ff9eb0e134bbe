import { createHash, timingSafeEqual } from 'node:crypto';
import { Hono, type MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import { ProblemError } from './errors.ts';
import { registerCollectors, type MetricsSources } from './metrics-collectors.ts';

/** What one node tells of itself. */
export type Metrics = {
  /** Counts and times every request that passes. */
  measure: MiddlewareHandler;
  /** Counts one answered GET that does not pass there. */
  observe: (route: string, status: number, seconds: number) => void;
  /** Counts one request that was put off, by the code of the problem it was answered with, such as 'too-many'. */
  countRejected: (code: string) => void;
  isAuthorized: (token: string) => boolean;
  registry: Registry;
};

export type MetricsOptions = MetricsSources & {
  /** Sent by whoever reads them, as `Authorization: Bearer …`. */
  token: string;
};

/** In seconds, up to what the longest statement may take. */
const durationBucketsSeconds = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

export function createMetrics({ token, ...parts }: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Requests by method, route and status, and the seconds until their answer was made.',
    labelNames: ['method', 'route', 'status'],
    buckets: durationBucketsSeconds,
    registers,
  });
  const refusals = new Counter({
    name: 'parley_refused_requests_total',
    help: 'Requests that were put off (429, 503), by the code of the problem they were answered with.',
    labelNames: ['code'],
    registers,
  });
  // There from the beginning, so that the first one is seen as a change.
  for (const code of ['too-many', 'unavailable', 'busy']) refusals.inc({ code }, 0);
  registerCollectors(registry, parts);
  return {
    registry,
    isAuthorized: (given) => timingSafeEqual(digest(given), digest(token)),
    observe: (route, status, seconds) => durations.observe({ method: 'GET', route, status }, seconds),
    countRejected: (code) => refusals.inc({ code }),
    async measure(c, next) {
      const start = performance.now();
      await next();
      // The route that answered, such as '/api/questions/:id': few, where addresses are without number.
      const labels = { method: c.req.method, route: routePath(c), status: c.res.status };
      durations.observe(labels, (performance.now() - start) / 1_000);
    },
  };
}

/** `GET /metrics` in Prometheus' text format; who may not read them learns nothing. */
export function metricsRoutes(metrics: Metrics | undefined): Hono {
  return new Hono().get('/metrics', async (c) => {
    const [, token] = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '') ?? [];
    if (token === undefined || !metrics?.isAuthorized(token))
      throw new ProblemError('not-found', 'There is nothing at this address.');
    const { registry } = metrics;
    return c.body(await registry.metrics(), 200, {
      'content-type': registry.contentType,
      'cache-control': 'no-store',
    });
  });
}

/** Of one length whatever was sent, as the comparison in constant time needs. */
const digest = (text: string) => createHash('sha256').update(text).digest();
