import { LRUCache } from 'lru-cache';
import { databaseNowMs } from '#server/core/database-clock.ts';
import type { TopicEvent } from '#server/core/events.ts';
import type { Viewer } from '#server/core/http.ts';
import { getSessionCookieName } from '#server/core/public-reading.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';

/**
 * A cache of valid sessions, so that not every request queries the database. An event of the session's end or of a
 * changed member status invalidates an entry. The cache is unused while the event stream is disconnected.
 */
export type SessionCache = {
  /** The member of a session; undefined also for an account that is not a member's yet. */
  find: (cookie: string) => Viewer | undefined;
  /** The account of a session, a member's or not. */
  findAccount: (cookie: string) => Viewer | undefined;
  /** Call it before looking a session up, so that a session that ends meanwhile is not cached. */
  beginLookup: () => CacheSession;
  invalidate: (events: readonly TopicEvent[]) => void;
  clear: () => void;
};

/** @param renewedAt when the session is due for renewal or expires, in milliseconds since 1970. */
export type CacheSession = (cookie: string, viewer: Viewer, renewedAt: number) => void;

type CachedSession = { viewer: Viewer; until: number };

const maxSessions = 20_000;

/**
 * Milliseconds after which a session is looked up again, for changes without an event, such as a manual SQL statement.
 */
const maxAgeMs = 10 * 60_000;

export function createSessionCache(
  settings: OperatorSettings,
  isEventStreamConnected: () => boolean,
): SessionCache {
  const name = getSessionCookieName(settings);
  const sessions = new LRUCache<string, CachedSession>({
    max: maxSessions,
    dispose: ({ viewer }, token) => {
      const tokens = tokensOf.get(viewer.id);
      if (tokens !== undefined && tokens.delete(token) && tokens.size === 0) tokensOf.delete(viewer.id);
    },
  });
  const tokensOf = new Map<number, Set<string>>();
  /** Number of events that ended sessions. */
  let endEventCount = 0;
  function findAccount(cookie: string): Viewer | undefined {
    if (!isEventStreamConnected()) return undefined;
    const token = getCookieValue(cookie, name);
    const cached = token === undefined ? undefined : sessions.get(token);
    return cached !== undefined && cached.until > databaseNowMs() ? cached.viewer : undefined;
  }

  return {
    find(cookie) {
      const viewer = findAccount(cookie);
      return viewer?.memberStatus.application === null ? viewer : undefined;
    },
    findAccount,
    beginLookup() {
      const before = endEventCount;
      return (cookie, viewer, renewedAt) => {
        const token = getCookieValue(cookie, name);
        if (token === undefined || endEventCount !== before || !isEventStreamConnected()) return;
        sessions.set(token, { viewer, until: Math.min(databaseNowMs() + maxAgeMs, renewedAt) });
        tokensOf.set(viewer.id, (tokensOf.get(viewer.id) ?? new Set()).add(token));
      };
    },
    invalidate(events) {
      for (const { topic, event } of events) {
        if (event.kind !== 'sessions-ended' && event.kind !== 'member-status-changed') continue;
        endEventCount++;
        // Sessions that did not end are looked up again.
        for (const token of tokensOf.get(Number(topic.slice('member:'.length))) ?? []) sessions.delete(token);
      }
    },
    clear() {
      endEventCount++;
      sessions.clear();
    },
  };
}

/** Returns undefined also if the cookie appears twice: better-auth decides which one counts. */
export function getCookieValue(cookie: string, name: string): string | undefined {
  const at = cookie.indexOf(`${name}=`);
  if (at === -1 || cookie.includes(`${name}=`, at + 1)) return undefined;
  // Another cookie can have a name that ends like this one, after a space.
  if (cookie.slice(cookie.lastIndexOf(';', at) + 1, at).trim() !== '') return undefined;
  const end = cookie.indexOf(';', at);
  return cookie.slice(at + name.length + 1, end === -1 ? undefined : end).trim();
}
