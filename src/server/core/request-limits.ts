import { sitePictureNames } from '#shared/core/site-pictures.ts';
import type { Viewer } from './http.ts';
import { ProblemError } from './errors.ts';

/** Classes of requests, each with its own limit. */
export type RequestClass = 'reading' | 'searching' | 'writing' | 'uploading';

/**
 * Limits on the number of requests, far above the needs of people and their open pages. They are counted in the memory
 * of this node: a database query would cost more than most reads. A client that uses several nodes has the limit of
 * each. Actions that are expensive for the whole site (posts, votes, sign-ins) are also counted in the database
 * (rate-limits.ts).
 */
export type RequestLimits = {
  /** Whether one more page may be read. Counts nothing if not. */
  canRead: (viewer: Viewer) => boolean;
  /**
   * Counts a request.
   * @throws ProblemError 'too-many'
   */
  consume: (viewer: Viewer, requestClass: RequestClass) => void;
  /**
   * Counts a visitor's request: all of them, or only the searches. `address` is any other key for requests that count
   * like those of a network.
   * @throws ProblemError 'too-many'
   */
  consumeForNetwork: (address: string, requestClass?: 'searching') => void;
  /** Whether visitors from this network may read one more page. Counts nothing if not. */
  canVisit: (address: string) => boolean;
  /** The number of refused requests since the start. */
  rejectedCount: () => number;
};

/**
 * Requests per ten seconds. An API token has the limit of a session. A network may be a whole school. IPv6 addresses
 * count by /64 (network-address.ts).
 */
const maxRequests = {
  reading: { session: 300, member: 600 },
  searching: { session: 60, member: 120 },
  writing: { session: 300, member: 600 },
  uploading: { session: 30, member: 60 },
  network: { all: 3_000, searching: 120 },
} as const;

export function createRequestLimits(clock: () => number = () => performance.now()): RequestLimits {
  const counters = {
    reading: countersOf('reading'),
    searching: countersOf('searching'),
    writing: countersOf('writing'),
    uploading: countersOf('uploading'),
  };
  const networks = new WindowCounter(maxRequests.network.all, clock);
  const searchingNetworks = new WindowCounter(maxRequests.network.searching, clock);
  let refused = 0;
  return {
    canRead: (viewer) => tryConsume(viewer, 'reading'),
    consume(viewer, requestClass) {
      if (tryConsume(viewer, requestClass)) return;
      refuse(counters[requestClass].sessions.secondsUntilReset());
    },
    consumeForNetwork(address, requestClass) {
      const counter = requestClass === 'searching' ? searchingNetworks : networks;
      if (!counter.tryConsume(address)) refuse(counter.secondsUntilReset());
    },
    canVisit: (address) => networks.tryConsume(address),
    rejectedCount: () => refused,
  };

  function tryConsume({ id, sessionId, tokenId }: Viewer, requestClass: RequestClass): boolean {
    const { sessions, members } = counters[requestClass];
    // Programs have limits of their own, so that they do not use up those of the member's browser.
    if (tokenId !== null)
      return sessions.tryConsume(`token ${tokenId}`) && members.tryConsume(`programs of ${id}`);
    // Replies by email have no session.
    return sessions.tryConsume(sessionId === 0 ? `emails of ${id}` : sessionId) && members.tryConsume(id);
  }

  function countersOf(requestClass: RequestClass) {
    const { session, member } = maxRequests[requestClass];
    return { sessions: new WindowCounter(session, clock), members: new WindowCounter(member, clock) };
  }

  function refuse(retryAfter: number): never {
    refused++;
    throw new ProblemError('too-fast', {
      retryAfter,
    });
  }
}

/** Requests with a picture or an email as their body, which their handlers limit. */
export const uploadPaths: ReadonlySet<string> = new Set([
  '/api/uploads',
  '/api/received-emails',
  '/api/settings/avatar',
  ...sitePictureNames.map((name) => `/api/admin/pictures/${name}`),
]);

/** The class of an API request by its method and path. */
export function classifyRequest(method: string, path: string): RequestClass {
  if (
    /^\/api\/(?:search\b|questions\/similar$|members$|questions\/\d+\/(?:members|related)$|audience$)/.test(
      path,
    )
  )
    return 'searching';
  if (method === 'GET' || method === 'HEAD') return 'reading';
  return uploadPaths.has(path) ? 'uploading' : 'writing';
}

const windowMs = 10_000;

/**
 * Approximate counts by key over the last ten seconds: the count of the current window plus a share of the previous
 * one, by how much of it lies within the ten seconds. Without that share, twice the limit could pass at a window
 * boundary. The clock must be monotonic.
 */
class WindowCounter {
  readonly #max: number;
  readonly #clock: () => number;
  #counts = new Map<number | string, number>();
  #previous = new Map<number | string, number>();
  #end = 0;

  constructor(max: number, clock: () => number) {
    this.#max = max;
    this.#clock = clock;
  }

  tryConsume(key: number | string): boolean {
    const now = this.#clock();
    if (now >= this.#end) {
      this.#previous = now < this.#end + windowMs ? this.#counts : new Map();
      this.#counts = new Map();
      this.#end = now < this.#end + windowMs ? this.#end + windowMs : now + windowMs;
    }
    const count = (this.#counts.get(key) ?? 0) + 1;
    const share = (this.#end - now) / windowMs;
    if (count + (this.#previous.get(key) ?? 0) * share > this.#max) return false;
    this.#counts.set(key, count);
    return true;
  }

  secondsUntilReset(): number {
    return Math.max(1, Math.ceil((this.#end - this.#clock()) / 1_000));
  }
}
