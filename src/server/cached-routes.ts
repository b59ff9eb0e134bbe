import { tagKey } from '#shared/core/text.ts';
import { createSessionCache, type SessionCache } from './identity/sessions-cache.ts';
import { feedDocumentKey } from './discovery/feeds-document.ts';
import { hasMutedTagsKey } from './engagement/mutes-filter.ts';
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
import { getViewerChange, questionDocumentKey } from './posts/questions-document.ts';
import { tagDocumentKey, tagQuestionsDocumentKey, tagsDocumentKey } from './discovery/tags-document.ts';
import { answerSort } from '#shared/posts/answers.ts';
import { feed as feedName } from '#shared/discovery/feeds.ts';
import { mutedChoice } from '#shared/engagement/mutes.ts';
import { tagSort } from '#shared/discovery/tags.ts';

/** What a node keeps in memory to answer with, as long as its stream of events is followed. */
export type NodeCaches = {
  responses: ResponseCache;
  sessions: SessionCache;
  /** The stream of events told of something. */
  applyEvents: (news: readonly TopicEvent[]) => void;
  /** Some events are lost. */
  clear: () => void;
};

export type NodeCachesOptions = {
  db: Database;
  settings: SiteSettings;
  stream: Pick<EventStream, 'position' | 'isUpToDate'>;
  /** Bytes of pages at most. */
  maxBytes: number;
};

export function createNodeCaches({ db, settings, stream, maxBytes }: NodeCachesOptions): NodeCaches {
  const responses = new ResponseCache({ db, stream, maxBytes, ownNews: getViewerChange });
  const sessions = createSessionCache(settings, stream.isUpToDate);
  const applyEvents = (news: readonly TopicEvent[]) => {
    responses.applyEvents(news);
    sessions.invalidate(news);
  };
  // Not only by the stream: what is acknowledged must show.
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

/** Puts what is kept in front of the listener that answers everything. */
export async function createCachedHandler(options: {
  kept: NodeCaches;
  settings: SiteSettings;
  floods?: RequestLimits | undefined;
  stream: Pick<EventStream, 'position'>;
  metrics: Metrics | undefined;
  behind: CacheHandlerOptions['next'];
}): Promise<CacheHandlerOptions['next']> {
  const { kept, settings, floods, stream, metrics, behind: next } = options;
  return createCacheHandler({
    routes: cachedRoutes,
    cache: kept.responses,
    viewerOf: kept.sessions.find,
    canRead: floods?.canRead,
    position: stream.position,
    headers: await getSecurityHeaders(settings, '/api'),
    measure: metrics?.observe,
    next,
  });
}

/** Every page that is answered in front, listed by hand. */
const cachedRoutes: readonly CachedRoute[] = [
  { route: '/api/questions/:id', match: matchQuestion },
  { route: '/api/feeds/:feed', match: matchFeed },
  { route: '/api/topics', match: matchTags },
  { route: '/api/topics/:tag', match: matchTag },
  { route: '/api/topics/:tag/questions', match: matchTagQuestions },
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
  return { key: feedDocumentKey(feed, cursor), ...(muted === 'hide' && { unlessFact: hasMutedTagsKey }) };
}

function matchTags(url: string): CachedRouteMatch | null {
  const [whole, query] = /^\/api\/topics(?:\?(.*))?$/.exec(url) ?? [];
  const { sort: named = 'popular', cursor, ...others } = parseQuery(query);
  const sort = tagSort.options.find((each) => each === named);
  if (whole === undefined || sort === undefined || !isEmpty(others)) return null;
  return { key: tagsDocumentKey(sort, cursor) };
}

/** Names that an address writes as they are; others are looked at behind. */
function matchTag(url: string): CachedRouteMatch | null {
  const [, tag] = /^\/api\/topics\/([\w.-]{1,100})$/.exec(url) ?? [];
  return tag === undefined ? null : { key: tagDocumentKey(tagKey(tag)) };
}

function matchTagQuestions(url: string): CachedRouteMatch | null {
  const [, tag, query] = /^\/api\/topics\/([\w.-]{1,100})\/questions(?:\?(.*))?$/.exec(url) ?? [];
  const { cursor, ...others } = parseQuery(query);
  if (tag === undefined || !isEmpty(others)) return null;
  return { key: tagQuestionsDocumentKey(tagKey(tag), cursor) };
}

/** The parameters of a query that are plain, each once; what is not is looked at behind. */
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
