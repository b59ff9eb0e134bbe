import type { Viewer } from './http.ts';
import { ProblemError } from './errors.ts';

/** Classes of requests that have limits of their own. */
export type RequestClass = 'reading' | 'searching' | 'writing';

/**
 * Limits on how many requests are taken, far above what people and their open pages send. They are counted in this
 * node's memory: a count in the database would cost more than most of the readings it limits, and who spreads requests
 * over nodes meets each node's limit. What is dear for all nodes together (posts, votes, sign-ins) is counted in the
 * database as well (rate-limits.ts).
 */
export type RequestLimits = {
  /** Whether one more page may be read; takes nothing where not. */
  canRead: (viewer: Viewer) => boolean;
  /** @throws ProblemError 'too-many' */
  consume: (viewer: Viewer, requestClass: RequestClass) => void;
  /** For requests of nobody who is signed in. @throws ProblemError 'too-many' */
  consumeForNetwork: (address: string) => void;
  /** Requests refused since the start. */
  rejectedCount: () => number;
};

/** Requests in ten seconds. A network may be a whole school; IPv6 counts by the /64 (network-address.ts). */
const maxRequests = {
  reading: { session: 500, member: 1_000 },
  searching: { session: 60, member: 120 },
  writing: { session: 300, member: 600 },
  network: 3_000,
} as const;

export function createRequestLimits(clock: () => number = () => performance.now()): RequestLimits {
  const counters = {
    reading: countersOf('reading'),
    searching: countersOf('searching'),
    writing: countersOf('writing'),
  };
  const networks = new WindowCounter(maxRequests.network, clock);
  let refused = 0;
  return {
    canRead: (viewer) => takes(viewer, 'reading'),
    consume(viewer, requestClass) {
      if (takes(viewer, requestClass)) return;
      refuse(counters[requestClass].sessions.secondsUntilReset());
    },
    consumeForNetwork(address) {
      if (!networks.tryConsume(address)) refuse(networks.secondsUntilReset());
    },
    rejectedCount: () => refused,
  };

  function takes({ id, sessionId }: Viewer, requestClass: RequestClass): boolean {
    const { sessions, members } = counters[requestClass];
    return sessions.tryConsume(sessionId) && members.tryConsume(id);
  }

  function countersOf(requestClass: RequestClass) {
    const { session, member } = maxRequests[requestClass];
    return { sessions: new WindowCounter(session, clock), members: new WindowCounter(member, clock) };
  }

  function refuse(retryAfter: number): never {
    refused++;
    throw new ProblemError('too-many', 'That was a lot in a few seconds. Please wait a moment.', {
      retryAfter,
    });
  }
}

/** The class of a request to the API, by its method and path. */
export function classifyRequest(method: string, path: string): RequestClass {
  if (
    /^\/api\/(?:search\b|questions\/similar$|members$|questions\/\d+\/(?:members|related)$|audience$)/.test(
      path,
    )
  )
    return 'searching';
  return method === 'GET' || method === 'HEAD' ? 'reading' : 'writing';
}

const windowMs = 10_000;

/** Counts by key within windows of one length; as one ends, all counts begin anew. The clock must never go back. */
class WindowCounter {
  readonly #most: number;
  readonly #clock: () => number;
  readonly #counts = new Map<number | string, number>();
  #end = 0;

  constructor(most: number, clock: () => number) {
    this.#most = most;
    this.#clock = clock;
  }

  tryConsume(key: number | string): boolean {
    const now = this.#clock();
    if (now >= this.#end) {
      this.#counts.clear();
      this.#end = now + windowMs;
    }
    const count = (this.#counts.get(key) ?? 0) + 1;
    if (count > this.#most) return false;
    this.#counts.set(key, count);
    return true;
  }

  secondsUntilReset(): number {
    return Math.max(1, Math.ceil((this.#end - this.#clock()) / 1_000));
  }
}
