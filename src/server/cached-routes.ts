import { tagKey } from '#shared/core/text.ts';
import { createSessionCache, type SessionCache } from './identity/index.ts';
import {
  feedDocumentKey,
  tagDocumentKey,
  tagQuestionsDocumentKey,
  tagsDocumentKey,
} from './discovery/index.ts';
import { hasMutedTagsKey } from './engagement/index.ts';
import type { Database } from './core/database.ts';
import { onEventsCommitted, type TopicEvent } from './core/events.ts';
import type { RequestLimits } from './core/request-limits.ts';
import type { Metrics } from './core/metrics.ts';
import {
  type CachedRoute,
  type CachedRouteMatch,
  type CacheHandlerOptions,
  createCacheHandler,
} from './core/response-cache-handler.ts';
import { ResponseCache } from './core/response-cache.ts';
import { getSecurityHeaders } from './core/security-headers.ts';
import type { SiteSettings } from './core/site-settings.ts';
import type { EventStream } from './core/event-stream.ts';
import { getViewerChange, questionDocumentKey } from './posts/index.ts';
import { answerSort } from '#shared/posts/answers.ts';
import { feed as feedName } from '#shared/discovery/feeds.ts';
import { mutedChoice } from '#shared/engagement/mutes.ts';
import { tagSort } from '#shared/discovery/tags.ts';

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
  settings: SiteSettings;
  stream: Pick<EventStream, 'position' | 'isUpToDate'>;
  /** Bytes of cached pages at most. */
  maxBytes: number;
};

export function createNodeCaches({ db, settings, stream, maxBytes }: NodeCachesOptions): NodeCaches {
  const responses = new ResponseCache({ db, stream, maxBytes, getChange: getViewerChange });
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
export async function createCachedHandler(options: {
  caches: NodeCaches;
  settings: SiteSettings;
  requestLimits?: RequestLimits | undefined;
  stream: Pick<EventStream, 'position'>;
  metrics: Metrics | undefined;
  next: CacheHandlerOptions['next'];
}): Promise<CacheHandlerOptions['next']> {
  const { caches, settings, requestLimits, stream, metrics, next } = options;
  return createCacheHandler({
    routes: cachedRoutes,
    cache: caches.responses,
    viewerOf: caches.sessions.find,
    canRead: requestLimits?.canRead,
    position: stream.position,
    headers: await getSecurityHeaders(settings, '/api'),
    measure: metrics?.observe,
    next,
  });
}

/** The routes whose responses are cached, listed explicitly. */
const cachedRoutes: readonly CachedRoute[] = [
  { route: '/api/questions/:id', match: matchQuestion },
  { route: '/api/feeds/:feed', match: matchFeed },
  { route: '/api/tags', match: matchTags },
  { route: '/api/tags/:tag', match: matchTag },
  { route: '/api/tags/:tag/questions', match: matchTagQuestions },
];

function matchQuestion(url: string): CachedRouteMatch | null {
  const [, id, query] = /^\/api\/questions\/([1-9]\d{0,14})(?:\?(.*))?$/.exec(url) ?? [];
  const { sort = 'newest', ...others } = parseQuery(query);
  if (id === undefined || !answerSort.options.some((each) => each === sort) || !isEmpty(others)) return null;
  return { key: questionDocumentKey(Number(id), answerSort.parse(sort)) };
}

function matchFeed(url: string): CachedRouteMatch | null {
  const [, name, query] = /^\/api\/feeds\/([a-z]+)(?:\?(.*))?$/.exec(url) ?? [];
  const feed = feedName.options.find((each) => each === name);
  const { cursor, muted = 'hide', ...others } = parseQuery(query);
  if (feed === undefined || !mutedChoice.options.some((each) => each === muted) || !isEmpty(others))
    return null;
  return { key: feedDocumentKey(feed, cursor), ...(muted === 'hide' && { unlessFlag: hasMutedTagsKey }) };
}

function matchTags(url: string): CachedRouteMatch | null {
  const [whole, query] = /^\/api\/tags(?:\?(.*))?$/.exec(url) ?? [];
  const { sort: named = 'popular', cursor, ...others } = parseQuery(query);
  const sort = tagSort.options.find((each) => each === named);
  if (whole === undefined || sort === undefined || !isEmpty(others)) return null;
  return { key: tagsDocumentKey(sort, cursor) };
}

/** Only matches tags without escapes in the URL. Other requests go to the next handler. */
function matchTag(url: string): CachedRouteMatch | null {
  const [, tag] = /^\/api\/tags\/([\w.-]{1,100})$/.exec(url) ?? [];
  return tag === undefined ? null : { key: tagDocumentKey(tagKey(tag)) };
}

function matchTagQuestions(url: string): CachedRouteMatch | null {
  const [, tag, query] = /^\/api\/tags\/([\w.-]{1,100})\/questions(?:\?(.*))?$/.exec(url) ?? [];
  const { cursor, ...others } = parseQuery(query);
  if (tag === undefined || !isEmpty(others)) return null;
  return { key: tagQuestionsDocumentKey(tagKey(tag), cursor) };
}

/** Parses plain query parameters that appear once. Others make the request go to the next handler. */
function parseQuery(query: string | undefined): Record<string, string> {
  const parameters: Record<string, string> = {};
  if (query === undefined || query === '') return parameters;
  for (const each of query.split('&')) {
    const [, name, value] = /^(sort|cursor|muted)=([\w-]{1,200})$/.exec(each) ?? [];
    if (name === undefined || value === undefined || name in parameters) return { other: query };
    parameters[name] = value;
  }
  return parameters;
}

const isEmpty = (parameters: object) => Object.keys(parameters).length === 0;
