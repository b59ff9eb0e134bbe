import { LRUCache } from 'lru-cache';
import { databaseTime } from '#server/platform/clock.ts';
import type { StreamedEvent } from '#server/platform/events.ts';
import type { Viewer } from '#server/platform/http.ts';
import { cookiePrefix, type Settings } from '#server/platform/settings.ts';

/**
 * Sessions that were found to be good a moment ago, so that not every request asks the database. One ends here as the
 * stream of events tells that it ended, or that its member became something else; while that is not followed, none is
 * known.
 */
export type SessionCache = {
  find: (cookie: string) => Viewer | undefined;
  /** To be called before a session is looked up, so that one that ends meanwhile is not kept. */
  begin: () => KeepSession;
  changed: (news: readonly StreamedEvent[]) => void;
  clear: () => void;
};

/** @param renewedAt when the session is to be renewed, or has ended, in milliseconds since 1970. */
export type KeepSession = (cookie: string, viewer: Viewer, renewedAt: number) => void;

type Known = { viewer: Viewer; until: number };

const most = 20_000;

/** Milliseconds after which a session is looked up again, whatever nobody told of: a statement by hand. */
const longest = 10 * 60_000;

export function createSessionCache(settings: Settings, isFollowed: () => boolean): SessionCache {
  const name = sessionCookie(settings);
  const sessions = new LRUCache<string, Known>({
    max: most,
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
      if (!isFollowed()) return undefined;
      const token = valueOf(cookie, name);
      const known = token === undefined ? undefined : sessions.get(token);
      return known !== undefined && known.until > databaseTime() ? known.viewer : undefined;
    },
    begin() {
      const before = ended;
      return (cookie, viewer, renewedAt) => {
        const token = valueOf(cookie, name);
        if (token === undefined || ended !== before || !isFollowed()) return;
        sessions.set(token, { viewer, until: Math.min(databaseTime() + longest, renewedAt) });
        tokensOf.set(viewer.id, (tokensOf.get(viewer.id) ?? new Set()).add(token));
      };
    },
    changed(news) {
      for (const { topic, event } of news) {
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
function sessionCookie(settings: Settings): string {
  return `${cookiePrefix(settings)}.session_token`;
}

/** Undefined also where the name stands there twice: which one counts is not decided here. */
function valueOf(cookie: string, name: string): string | undefined {
  const at = cookie.indexOf(`${name}=`);
  if (at === -1 || cookie.includes(`${name}=`, at + 1)) return undefined;
  if (at > 0 && cookie[at - 1] !== ' ' && cookie[at - 1] !== ';') return undefined;
  const end = cookie.indexOf(';', at);
  return cookie.slice(at + name.length + 1, end === -1 ? undefined : end).trim();
}
