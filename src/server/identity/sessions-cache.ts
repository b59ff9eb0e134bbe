import { LRUCache } from 'lru-cache';
import { databaseNowMs } from '#server/core/database-clock.ts';
import type { TopicEvent } from '#server/core/events.ts';
import type { Viewer } from '#server/core/http.ts';
import { getCookiePrefix, type SiteSettings } from '#server/core/site-settings.ts';

/**
 * Sessions that were found to be good a moment ago, so that not every request asks the database. One ends here as the
 * stream of events tells that it ended, or that its member became something else; while that is not followed, none is
 * known.
 */
export type SessionCache = {
  find: (cookie: string) => Viewer | undefined;
  /** To be called before a session is looked up, so that one that ends meanwhile is not kept. */
  beginLookup: () => CacheSession;
  invalidate: (events: readonly TopicEvent[]) => void;
  clear: () => void;
};

/** @param renewedAt when the session is to be renewed, or has ended, in milliseconds since 1970. */
export type CacheSession = (cookie: string, viewer: Viewer, renewedAt: number) => void;

type CachedSession = { viewer: Viewer; until: number };

const maxSessions = 20_000;

/** Milliseconds after which a session is looked up again, whatever nobody told of: a statement by hand. */
const maxAgeMs = 10 * 60_000;

export function createSessionCache(settings: SiteSettings, isStreamFollowed: () => boolean): SessionCache {
  const name = getSessionCookieName(settings);
  const sessions = new LRUCache<string, CachedSession>({
    max: maxSessions,
    dispose: ({ viewer }, token) => {
      const tokens = tokensOf.get(viewer.id);
      if (tokens !== undefined && tokens.delete(token) && tokens.size === 0) tokensOf.delete(viewer.id);
    },
  });
  const tokensOf = new Map<number, Set<string>>();
  /** How often sessions have ended. */
  let ended = 0;
  return {
    find(cookie) {
      if (!isStreamFollowed()) return undefined;
      const token = getCookieValue(cookie, name);
      const cached = token === undefined ? undefined : sessions.get(token);
      return cached !== undefined && cached.until > databaseNowMs() ? cached.viewer : undefined;
    },
    beginLookup() {
      const before = ended;
      return (cookie, viewer, renewedAt) => {
        const token = getCookieValue(cookie, name);
        if (token === undefined || ended !== before || !isStreamFollowed()) return;
        sessions.set(token, { viewer, until: Math.min(databaseNowMs() + maxAgeMs, renewedAt) });
        tokensOf.set(viewer.id, (tokensOf.get(viewer.id) ?? new Set()).add(token));
      };
    },
    invalidate(events) {
      for (const { topic, event } of events) {
        if (event.kind !== 'sessions-ended' && event.kind !== 'standing-changed') continue;
        ended++;
        // Those that go on are looked up again.
        for (const token of tokensOf.get(Number(topic.slice('member:'.length))) ?? []) sessions.delete(token);
      }
    },
    clear() {
      ended++;
      sessions.clear();
    },
  };
}

/** As better-auth names it, by the settings in auth.ts. */
function getSessionCookieName(settings: SiteSettings): string {
  return `${getCookiePrefix(settings)}.session_token`;
}

/** Undefined also where the name stands there twice: which one counts is not decided here. */
function getCookieValue(cookie: string, name: string): string | undefined {
  const at = cookie.indexOf(`${name}=`);
  if (at === -1 || cookie.includes(`${name}=`, at + 1)) return undefined;
  if (at > 0 && cookie[at - 1] !== ' ' && cookie[at - 1] !== ';') return undefined;
  const end = cookie.indexOf(';', at);
  return cookie.slice(at + name.length + 1, end === -1 ? undefined : end).trim();
}
