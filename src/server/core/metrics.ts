import { createHash, timingSafeEqual } from 'node:crypto';
import { Hono, type MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import type { ErrorKind } from '#shared/core/error-kinds.ts';
import { ProblemError } from './errors.ts';
import { registerCollectors, type MetricsSources } from './metrics-collectors.ts';

/** The metrics of one node. */
export type Metrics = {
  /** Counts and times every request. */
  measure: MiddlewareHandler;
  /** Records a GET that the response cache served. */
  observe: (route: string, status: number, seconds: number) => void;
  /** Counts a refused request by the kind of its error, such as 'too-many'. */
  countRejected: (kind: ErrorKind) => void;
  isAuthorized: (token: string) => boolean;
  registry: Registry;
};

export type MetricsOptions = MetricsSources & {
  /** The token that clients send as `Authorization: Bearer …`. */
  token: string;
};

/** In seconds, up to the statement timeout. */
const durationBucketsSeconds = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

export function createMetrics({ token, ...parts }: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'The duration of requests in seconds, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: durationBucketsSeconds,
    registers,
  });
  const refusals = new Counter({
    name: 'parley_rejected_requests_total',
    help: 'Refused requests (429, 503), by kind of error.',
    labelNames: ['kind'],
    registers,
  });
  // Initialized to 0, so that the first refusal is a visible change.
  for (const kind of ['too-many', 'unavailable', 'busy']) refusals.inc({ kind }, 0);
  registerCollectors(registry, parts);
  return {
    registry,
    isAuthorized: (presented) => timingSafeEqual(digest(presented), digest(token)),
    observe: (route, status, seconds) => durations.observe({ method: 'GET', route, status }, seconds),
    countRejected: (kind) => refusals.inc({ kind }),
    async measure(c, next) {
      const start = performance.now();
      await next();
      // The matched route, such as '/api/questions/:id'. URLs would create an unlimited number of labels.
      const labels = { method: c.req.method, route: routePath(c), status: c.res.status };
      durations.observe(labels, (performance.now() - start) / 1_000);
    },
  };
}

/** `GET /metrics` in the Prometheus text format. Without the token it responds 404. */
export function metricsRoutes(metrics: Metrics | undefined): Hono {
  return new Hono().get('/metrics', async (c) => {
    const [, token] = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '') ?? [];
    if (token === undefined || !metrics?.isAuthorized(token)) throw new ProblemError('page-not-found');
    const { registry } = metrics;
    return c.body(await registry.metrics(), 200, {
      'content-type': registry.contentType,
      'cache-control': 'no-store',
    });
  });
}

/** A digest has a fixed length, as the constant-time comparison requires. */
const digest = (text: string) => createHash('sha256').update(text).digest();
