import { setTimeout as delay } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { createMiddleware } from 'hono/factory';
import pLimit, { type LimitFunction } from 'p-limit';
import { ProblemError } from './errors.ts';
import { classifyRequest, type RequestLimits } from './request-limits.ts';
import type { SignedInEnv, Viewer } from './http.ts';
import { getNetworkAddress } from './network-address.ts';
import type { SiteSettings } from './site-settings.ts';

export type VisitorLimits = {
  requestLimits: RequestLimits;
  settings: SiteSettings;
  /** Sessions that were found to be good a moment ago; absent where every request asks the database. */
  sessions: { find: (cookie: string) => Viewer | undefined } | undefined;
};

/** Counts requests by their network address until it is known whose they are. */
export function limitVisitors({ requestLimits, settings, sessions }: VisitorLimits) {
  return createMiddleware<{ Bindings: Partial<HttpBindings> }>(async (c, next) => {
    const cookie = c.req.header('cookie');
    // Where none are remembered, nobody can tell members from visitors here: they are counted as who they turn out to be.
    const mayBeMember =
      cookie !== undefined && (sessions === undefined || sessions.find(cookie) !== undefined);
    // A page that asks the API for what is inside it came from no network.
    const isOwn = c.env?.incoming === undefined;
    if (!mayBeMember && !isOwn)
      requestLimits.consumeForNetwork(getNetworkAddress(c, settings.trustedProxies));
    await next();
  });
}

/** Counts requests of signed-in members, by what they ask for. */
export function limitMembers(floods: RequestLimits | undefined) {
  return createMiddleware<SignedInEnv>(async (c, next) => {
    floods?.consume(c.get('viewer'), classifyRequest(c.req.method, c.req.path));
    await next();
  });
}

/** Counts everything that a signed-in member writes. @param take refuses who writes too much */
export function limitWrites(take: (memberId: number) => Promise<void>) {
  return createMiddleware<SignedInEnv>(async (c, next) => {
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') await take(c.get('viewer').id);
    await next();
  });
}

/** Requests of one member that run at the same time on a node, and that wait; one more is refused at once. */
const memberQueues = {
  searching: { atOnce: 1, waiting: 20, refusal: 'Wait until your other searches have finished.' },
  // The bytes of a large page keep a processor busy while they are made and compressed.
  reading: { atOnce: 2, waiting: 200, refusal: 'That was a lot in a few seconds. Please wait a moment.' },
  // A tenth of the connections to the database (`openPool`).
  writing: { atOnce: 2, waiting: 100, refusal: 'That was a lot in a few seconds. Please wait a moment.' },
} as const;

/** Lets one member's searches, or writes, wait for each other, so that they never take all connections. */
export function queueMemberRequests(requestClass: keyof typeof memberQueues) {
  const { atOnce: concurrency, waiting, refusal } = memberQueues[requestClass];
  const members = new Map<number, LimitFunction>();
  return createMiddleware<SignedInEnv>(async (c, next) => {
    if (classifyRequest(c.req.method, c.req.path) !== requestClass) return next();
    const { id } = c.get('viewer');
    const queue = members.get(id) ?? pLimit(concurrency);
    if (queue.pendingCount >= waiting) throw new ProblemError('too-many', refusal, { retryAfter: 1 });
    members.set(id, queue);
    const responsePromise = Promise.withResolvers<globalThis.Response | void>();
    void queue(async () => {
      const start = performance.now();
      try {
        // The browser gave up, as it does for each letter typed.
        const isUnwanted = requestClass === 'searching' && c.req.raw.signal.aborted;
        responsePromise.resolve(isUnwanted ? c.body(null, 204) : await next());
      } catch (error) {
        responsePromise.reject(error);
      }
      if (queue.pendingCount > 0 && requestClass !== 'reading')
        await delay(pauseMsAfter(performance.now() - start));
    }).finally(() => {
      if (queue.activeCount + queue.pendingCount === 0) members.delete(id);
    });
    return responsePromise.promise;
  });
}

/**
 * Milliseconds until the member's next waiting request begins: three times what an expensive one took, so that a member
 * who sends them without end keeps a processor busy for a quarter of the time at most.
 */
function pauseMsAfter(milliseconds: number): number {
  return milliseconds < 20 ? 0 : Math.min(500, 3 * milliseconds);
}
