import { createHash, timingSafeEqual } from 'node:crypto';
import { Hono, type MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { ProblemError } from './errors.ts';
import type { ReplicaState } from './replicas/replica.ts';

/** What one node tells of itself. */
export type Metrics = {
  /** Counts and times every request that passes. */
  measure: MiddlewareHandler;
  /** Counts one answered GET that does not pass there. */
  observe: (route: string, status: number, seconds: number) => void;
  mayRead: (token: string) => boolean;
  registry: Registry;
};

export type MetricsOptions = {
  /** Sent by whoever reads them, as `Authorization: Bearer …`. */
  token: string;
  /** Live sockets that are open. */
  sockets: () => number;
  /** Seconds from the writing of an event to its being handed out. */
  lag: () => number;
  /** Bytes of pages that are kept, how many were read to be kept, and how often a viewer's own part was; absent where none are. */
  kept?: { bytes: () => number; made: () => number; asked: () => number } | undefined;
  /** Absent where there are none. */
  replicas?: (() => readonly ReplicaState[]) | undefined;
};

/** In seconds, up to what the longest statement may take. */
const buckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

export function createMetrics({ token, sockets, lag, kept, replicas }: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Requests by method, route and status, and the seconds until their answer was made.',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers,
  });
  gauge('parley_live_sockets', 'Live sockets that are open.', sockets);
  gauge('parley_stream_lag_seconds', 'Seconds from the writing of an event to its being handed out.', lag);
  if (kept !== undefined) {
    gauge('parley_kept_bytes', 'Bytes of pages that are kept in memory.', kept.bytes);
    gauge('parley_kept_pages_read', 'Pages read from the database to be kept, since the start.', kept.made);
    gauge(
      'parley_kept_own_read',
      "Times that a page was kept, but what is the viewer's own on it was read, since the start.",
      kept.asked,
    );
  }
  if (replicas !== undefined) gaugeReplicas(replicas);
  return {
    registry,
    mayRead: (given) => timingSafeEqual(digest(given), digest(token)),
    observe: (route, status, seconds) => durations.observe({ method: 'GET', route, status }, seconds),
    async measure(c, next) {
      const start = performance.now();
      await next();
      // The route that answered, such as '/api/questions/:id': few, where addresses are without number.
      const labels = { method: c.req.method, route: routePath(c), status: c.res.status };
      durations.observe(labels, (performance.now() - start) / 1_000);
    },
  };

  function gaugeReplicas(states: () => readonly ReplicaState[]): void {
    const labelNames = ['replica'];
    const serves: Gauge = new Gauge({
      name: 'parley_replica_serves',
      help: 'Whether a streaming replica serves reads (1) or is left out (0).',
      labelNames,
      registers,
      collect: () => states().forEach(({ name, healthy }) => serves.set({ replica: name }, Number(healthy))),
    });
    const behind: Gauge = new Gauge({
      name: 'parley_replica_lag_seconds',
      help: 'Seconds by which a streaming replica is at least behind the primary.',
      labelNames,
      registers,
      collect() {
        // Nothing rather than something old while the primary does not answer.
        behind.reset();
        for (const { name, lagSeconds } of states())
          if (lagSeconds !== null) behind.set({ replica: name }, lagSeconds);
      },
    });
  }

  function gauge(name: string, help: string, value: () => number): void {
    const made: Gauge = new Gauge({ name, help, registers, collect: () => made.set(value()) });
  }
}

/** `GET /metrics` in Prometheus' text format; who may not read them learns nothing. */
export function metricsRoutes(metrics: Metrics | undefined): Hono {
  return new Hono().get('/metrics', async (c) => {
    const [, token] = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '') ?? [];
    if (token === undefined || !metrics?.mayRead(token))
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
