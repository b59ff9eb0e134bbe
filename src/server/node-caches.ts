import { createSessionCache, type SessionCache } from './identity/index.ts';
import type { Database } from './core/database.ts';
import { ResponseCache } from './core/response-cache.ts';
import { type CachedDocumentsOptions, serveCachedDocuments } from './core/response-cache-http.ts';
import { getSecurityHeaders } from './core/security-headers.ts';
import type { EventStream } from './core/event-stream.ts';
import { onEventsCommitted, type TopicEvent } from './core/events.ts';
import type { OperatorSettings } from './core/operator-settings.ts';

/** The caches of a node. They are valid while the node follows the event stream. */
export type NodeCaches = {
  responses: ResponseCache;
  sessions: SessionCache;
  /** Invalidates the entries that the events affect. */
  applyEvents: (events: readonly TopicEvent[]) => void;
  /** Clears the caches after events were lost. */
  clear: () => void;
};

export type NodeCachesOptions = {
  db: Database;
  settings: OperatorSettings;
  stream: Pick<EventStream, 'position' | 'isUpToDate'>;
  /** The maximum size of the response cache in bytes. */
  maxBytes: number;
};

export function createNodeCaches({ db, settings, stream, maxBytes }: NodeCachesOptions): NodeCaches {
  const responses = new ResponseCache({ db, stream, maxBytes });
  const sessions = createSessionCache(settings, stream.isUpToDate);
  const applyEvents = (events: readonly TopicEvent[]) => {
    responses.applyEvents(events);
    sessions.invalidate(events);
  };
  // In addition to the stream, so that the next read on this node includes an acknowledged write.
  onEventsCommitted(db, ({ events }) => applyEvents(events));
  return {
    responses,
    sessions,
    applyEvents,
    clear() {
      responses.clear();
      sessions.clear();
    },
  };
}

/** Puts the response cache before the handler of all other requests. */
export async function serveCachedFirst(
  caches: NodeCaches | undefined,
  {
    settings,
    ...options
  }: { settings: OperatorSettings } & Pick<
    CachedDocumentsOptions,
    'position' | 'canRead' | 'measure' | 'next'
  >,
): Promise<CachedDocumentsOptions['next']> {
  if (caches === undefined) return options.next;
  const headers = await getSecurityHeaders(settings, '/api');
  const { responses: cache, sessions } = caches;
  return serveCachedDocuments({ ...options, cache, viewerOf: sessions.find, headers });
}
