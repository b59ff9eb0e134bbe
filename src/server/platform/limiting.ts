import type { HttpBindings } from '@hono/node-server';
import { createMiddleware } from 'hono/factory';
import pLimit, { type LimitFunction } from 'p-limit';
import { ProblemError } from './errors.ts';
import { classOf, type Floods } from './floods.ts';
import type { SignedInEnv, Viewer } from './http.ts';
import { networkAddress } from './network-address.ts';
import type { Settings } from './settings.ts';

export type VisitorLimits = {
  floods: Floods;
  settings: Settings;
  /** Sessions that were found to be good a moment ago; absent where every request asks the database. */
  sessions: { find: (cookie: string) => Viewer | undefined } | undefined;
};

/** Counts requests by their network address until it is known whose they are. */
export function limitVisitors({ floods, settings, sessions }: VisitorLimits) {
  return createMiddleware<{ Bindings: Partial<HttpBindings> }>(async (c, next) => {
    const cookie = c.req.header('cookie');
    // Where none are remembered, nobody can tell members from visitors here: they are counted as who they turn out to be.
    const mayBeMember =
      cookie !== undefined && (sessions === undefined || sessions.find(cookie) !== undefined);
    // A page that asks the API for what is inside it came from no network.
    const isOwn = c.env?.incoming === undefined;
    if (!mayBeMember && !isOwn) floods.takeFromNetwork(networkAddress(c, settings.trustedProxies));
    await next();
  });
}

/** Counts requests of signed-in members, by what they ask for. */
export function limitMembers(floods: Floods | undefined) {
  return createMiddleware<SignedInEnv>(async (c, next) => {
    floods?.take(c.get('viewer'), classOf(c.req.method, c.req.path));
    await next();
  });
}

/** Searches of one member that run at the same time on a node, and that wait; one more is refused at once. */
const searchesAtOnce = 2;
const searchesWaiting = 20;

/** Lets one member's searches wait for each other, so that they never take all connections for searches. */
export function queueSearches() {
  const queues = new Map<number, LimitFunction>();
  return createMiddleware<SignedInEnv>(async (c, next) => {
    if (classOf(c.req.method, c.req.path) !== 'searching') return next();
    const { id } = c.get('viewer');
    const queue = queues.get(id) ?? pLimit(searchesAtOnce);
    if (queue.pendingCount >= searchesWaiting)
      throw new ProblemError('too-many', 'Wait until your other searches have finished.', { retryAfter: 1 });
    queues.set(id, queue);
    try {
      return await queue(async () => {
        // The browser gave up, as it does for each letter typed.
        if (c.req.raw.signal.aborted) return c.body(null, 204);
        return next();
      });
    } finally {
      if (queue.activeCount + queue.pendingCount === 0) queues.delete(id);
    }
  });
}
