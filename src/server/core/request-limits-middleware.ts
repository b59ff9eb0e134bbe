import { setTimeout as delay } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { createMiddleware } from 'hono/factory';
import pLimit, { type LimitFunction } from 'p-limit';
import { bodyLimit } from 'hono/body-limit';
import { ProblemError } from './errors.ts';
import { classifyRequest, type RequestLimits, uploadPaths } from './request-limits.ts';
import { isMember, type PublicEnv, type Viewer } from './http.ts';
import { getNetworkAddress, toCustomerNetwork } from './network-address.ts';
import type { OperatorSettings } from './operator-settings.ts';

export type VisitorLimits = {
  requestLimits: RequestLimits | undefined;
  settings: OperatorSettings;
  /** Recently verified sessions. Absent if every request queries the database: members then count as visitors, too. */
  sessions: { find: (cookie: string) => Viewer | undefined } | undefined;
};

/**
 * Counts requests by network address, except those of members with a recent session. `limitViewers` counts these in the
 * API; elsewhere (`hasViewerLimits` false) each member has the limit of a network.
 */
export function limitVisitors(
  { requestLimits, settings, sessions }: VisitorLimits,
  { hasViewerLimits }: { hasViewerLimits: boolean },
) {
  return createMiddleware<NodeEnv>(async (c, next) => {
    const cookie = c.req.header('cookie');
    const member = cookie === undefined ? undefined : sessions?.find(cookie);
    if (member === undefined) {
      if (!isInternal(c)) requestLimits?.consumeForNetwork(getNetworkAddress(c, settings.trustedProxies));
    } else if (!hasViewerLimits) requestLimits?.consumeForNetwork(`member ${member.id}`);
    await next();
  });
}

/** Counts requests of signed-in members by class, and searches of visitors by network. */
export function limitViewers(requestLimits: RequestLimits | undefined, settings: OperatorSettings) {
  return createMiddleware<PublicEnv & NodeEnv>(async (c, next) => {
    const viewer = c.get('viewer');
    const requestClass = classifyRequest(c.req.method, c.req.path);
    if (isMember(viewer)) requestLimits?.consume(viewer, requestClass);
    else if (requestClass === 'searching') {
      const network = isInternal(c) ? getPageNetwork(c) : getNetworkAddress(c, settings.trustedProxies);
      if (network !== undefined) requestLimits?.consumeForNetwork(network, 'searching');
    }
    await next();
  });
}

/** Counts requests that search outside the API by network, as searches of visitors. */
export function limitPublicSearches(
  { requestLimits, settings }: Pick<VisitorLimits, 'requestLimits' | 'settings'>,
  isSearch: (query: Readonly<Record<string, string>>) => boolean,
) {
  return createMiddleware<NodeEnv>(async (c, next) => {
    if (isSearch(c.req.query()))
      requestLimits?.consumeForNetwork(getNetworkAddress(c, settings.trustedProxies), 'searching');
    await next();
  });
}

/**
 * `pageNetwork`: the network address of the client whose page requests its data from the API. The page itself is counted,
 * so only its searches are counted again.
 */
export type PageBindings = { pageNetwork?: string };

type NodeEnv = { Bindings: Partial<HttpBindings> & PageBindings };

const getPageNetwork = ({ env }: { env: PageBindings | undefined }) => env?.pageNetwork;

/** Whether another part of Parley requests data from the API. Such a request has no network address. */
const isInternal = ({ env }: { env: Partial<HttpBindings> | undefined }) => env?.incoming === undefined;

/**
 * Counts all writes of signed-in members.
 * @param consume throws if the member writes too much
 */
export function limitWrites(consume: (memberId: number) => Promise<void>) {
  return createMiddleware<PublicEnv>(async (c, next) => {
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') await consume(c.get('viewer').id);
    await next();
  });
}

/** How many requests of a member run at the same time on a node, and how many wait. Any more are refused. */
const memberQueues = {
  searching: { concurrency: 1, waiting: 20, code: 'searches-running' },
  // Building and compressing a large page keeps a core busy.
  reading: { concurrency: 2, waiting: 200, code: 'too-fast' },
  // A twentieth of the database connections (`openPool`).
  writing: { concurrency: 1, waiting: 100, code: 'too-fast' },
  // A queue of their own, so that a slow upload does not delay the member's drafts.
  uploading: { concurrency: 1, waiting: 20, code: 'too-fast' },
} as const;

/** How many times as many requests of the visitors from one network, such as a school, run at the same time. */
const visitorsPerNetwork = 2;

/** Queues the requests of a member, or of a network's visitors, so that none of them takes all connections. */
export function queueRequests(requestClass: keyof typeof memberQueues, settings: OperatorSettings) {
  const { concurrency, waiting, code } = memberQueues[requestClass];
  const queues = new Map<number | string, LimitFunction>();
  return createMiddleware<PublicEnv & NodeEnv>(async (c, next) => {
    if (classifyRequest(c.req.method, c.req.path) !== requestClass) return next();
    const viewer = c.get('viewer');
    const pageNetwork = requestClass === 'searching' ? getPageNetwork(c) : undefined;
    if (!isMember(viewer) && isInternal(c) && pageNetwork === undefined) return next();
    const id = isMember(viewer) ? viewer.id : (pageNetwork ?? getNetworkAddress(c, settings.trustedProxies));
    const running = isMember(viewer) ? concurrency : concurrency * visitorsPerNetwork;
    const queue = queues.get(id) ?? pLimit(running);
    if (queue.pendingCount >= waiting) throw new ProblemError(code, { retryAfter: 1 });
    queues.set(id, queue);
    const responsePromise = Promise.withResolvers<globalThis.Response | void>();
    void queue(async () => {
      const start = performance.now();
      try {
        // The browser cancelled the request, as the search box does on every key press.
        const isUnwanted = requestClass === 'searching' && c.req.raw.signal.aborted;
        responsePromise.resolve(isUnwanted ? c.body(null, 204) : await next());
      } catch (error) {
        responsePromise.reject(error);
      }
      if (queue.pendingCount > 0) await delay(pauseMsAfter(performance.now() - start));
    }).finally(() => {
      if (queue.activeCount + queue.pendingCount === 0) queues.delete(id);
    });
    return responsePromise.promise;
  });
}

/** Uploads of one network that a node handles at the same time, and those that wait. Four hold 40 of its 160 MB. */
const networkUploads = { concurrency: 4, waiting: 100 };

/** Queues the uploads of a network, so that its slow ones do not take all memory and processes for uploads. */
export function queueUploadsByNetwork(settings: OperatorSettings) {
  const queues = new Map<string, LimitFunction>();
  return createMiddleware<PublicEnv & NodeEnv>(async (c, next) => {
    if (isInternal(c) || classifyRequest(c.req.method, c.req.path) !== 'uploading') return next();
    const network = toCustomerNetwork(getNetworkAddress(c, settings.trustedProxies));
    const queue = queues.get(network) ?? pLimit(networkUploads.concurrency);
    if (queue.pendingCount >= networkUploads.waiting) throw new ProblemError('busy', { retryAfter: 3 });
    queues.set(network, queue);
    try {
      await queue(next);
    } finally {
      if (queue.activeCount + queue.pendingCount === 0) queues.delete(network);
    }
  });
}

/**
 * The pause before the member's next queued request, in milliseconds: three times the duration of the previous one, so
 * that one member uses a core for at most a quarter of the time.
 */
function pauseMsAfter(milliseconds: number): number {
  return Math.min(500, 3 * milliseconds);
}

/**
 * Refuses requests with a longer body. A stated length is trusted, because Node's parser reads no more than that; the
 * body is not touched, because that would convert it to a stream. Bodies without a stated length are counted.
 * Handlers of uploads limit the body themselves.
 */
export function limitBodySize(maxBytes: number) {
  const counted = bodyLimit({ maxSize: maxBytes, onError: throwTooLarge });
  return createMiddleware<{ Bindings: Partial<HttpBindings> }>(async (c, next) => {
    if (uploadPaths.has(c.req.path)) return next();
    const headers = c.env?.incoming?.headers;
    // An internal request from a page to the API, or a chunked body (RFC 9112, section 6).
    if (headers === undefined || headers['transfer-encoding'] !== undefined) return counted(c, next);
    return Number(headers['content-length'] ?? 0) > maxBytes ? throwTooLarge() : next();
  });
}

const throwTooLarge = () => {
  throw new ProblemError('request-too-large');
};
