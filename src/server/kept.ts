import { createSessionCache, type SessionCache } from './accounts/session-cache.ts';
import { feedPageKey } from './feeds/page.ts';
import { mutesTopicsKey } from './mutes/hidden.ts';
import type { Database } from './platform/database.ts';
import { onCommitted, type StreamedEvent } from './platform/events.ts';
import type { Floods } from './platform/floods.ts';
import type { Metrics } from './platform/metrics.ts';
import { front, type FrontOptions, type FrontPage, type FrontRoute } from './platform/read-models/front.ts';
import { ReadModels } from './platform/read-models/read-models.ts';
import { securityHeadersOf } from './platform/security-headers.ts';
import type { Settings } from './platform/settings.ts';
import type { EventStream } from './platform/stream.ts';
import { ownOnQuestions, questionPageKey } from './questions/page.ts';
import { topicPageKey, topicQuestionsPageKey, topicsPageKey } from './topics/page.ts';
import { answerSort } from '#shared/answers.ts';
import { feed as feedName } from '#shared/feeds.ts';
import { mutedChoice } from '#shared/mutes.ts';
import { tagKey } from '#shared/tags.ts';
import { topicSort } from '#shared/topics.ts';

/** What a node keeps in memory to answer with, as long as its stream of events is followed. */
export type Kept = {
  models: ReadModels;
  sessions: SessionCache;
  /** The stream of events told of something. */
  changed: (news: readonly StreamedEvent[]) => void;
  /** Some events are lost. */
  clear: () => void;
};

export type KeepingOptions = {
  db: Database;
  settings: Settings;
  stream: Pick<EventStream, 'position' | 'isFollowed'>;
  /** Bytes of pages at most. */
  maxBytes: number;
};

export function keepInMemory({ db, settings, stream, maxBytes }: KeepingOptions): Kept {
  const models = new ReadModels({ db, stream, maxBytes, ownNews: ownOnQuestions });
  const sessions = createSessionCache(settings, stream.isFollowed);
  const changed = (news: readonly StreamedEvent[]) => {
    models.changed(news);
    sessions.changed(news);
  };
  // Not only by the stream: what is acknowledged must show.
  onCommitted(db, ({ events }) => changed(events));
  return {
    models,
    sessions,
    changed,
    clear() {
      models.clear();
      sessions.clear();
    },
  };
}

/** Puts what is kept in front of the listener that answers everything. */
export async function answerInFront(options: {
  kept: Kept;
  settings: Settings;
  floods?: Floods | undefined;
  stream: Pick<EventStream, 'position'>;
  metrics: Metrics | undefined;
  behind: FrontOptions['behind'];
}): Promise<FrontOptions['behind']> {
  const { kept, settings, floods, stream, metrics, behind } = options;
  return front({
    routes,
    models: kept.models,
    viewerOf: kept.sessions.find,
    mayRead: floods?.mayRead,
    position: stream.position,
    headers: await securityHeadersOf(settings, '/api'),
    measure: metrics?.observe,
    behind,
  });
}

/** Every page that is answered in front, listed by hand. */
const routes: readonly FrontRoute[] = [
  { route: '/api/questions/:id', pageAt: questionAt },
  { route: '/api/feeds/:feed', pageAt: feedAt },
  { route: '/api/topics', pageAt: topicsAt },
  { route: '/api/topics/:tag', pageAt: topicAt },
  { route: '/api/topics/:tag/questions', pageAt: topicQuestionsAt },
];

function questionAt(url: string): FrontPage | null {
  const [, id, query] = /^\/api\/questions\/([1-9]\d{0,14})(?:\?(.*))?$/.exec(url) ?? [];
  const { sort = 'newest', ...others } = parse(query);
  if (id === undefined || !answerSort.options.some((each) => each === sort) || !isEmpty(others)) return null;
  return { key: questionPageKey(Number(id), answerSort.parse(sort)) };
}

function feedAt(url: string): FrontPage | null {
  const [, name, query] = /^\/api\/feeds\/([a-z]+)(?:\?(.*))?$/.exec(url) ?? [];
  const feed = feedName.options.find((each) => each === name);
  const { cursor, muted = 'hide', ...others } = parse(query);
  if (feed === undefined || !mutedChoice.options.some((each) => each === muted) || !isEmpty(others))
    return null;
  return { key: feedPageKey(feed, cursor), ...(muted === 'hide' && { unless: mutesTopicsKey }) };
}

function topicsAt(url: string): FrontPage | null {
  const [whole, query] = /^\/api\/topics(?:\?(.*))?$/.exec(url) ?? [];
  const { sort: named = 'popular', cursor, ...others } = parse(query);
  const sort = topicSort.options.find((each) => each === named);
  if (whole === undefined || sort === undefined || !isEmpty(others)) return null;
  return { key: topicsPageKey(sort, cursor) };
}

/** Names that an address writes as they are; others are looked at behind. */
function topicAt(url: string): FrontPage | null {
  const [, tag] = /^\/api\/topics\/([\w.-]{1,100})$/.exec(url) ?? [];
  return tag === undefined ? null : { key: topicPageKey(tagKey(tag)) };
}

function topicQuestionsAt(url: string): FrontPage | null {
  const [, tag, query] = /^\/api\/topics\/([\w.-]{1,100})\/questions(?:\?(.*))?$/.exec(url) ?? [];
  const { cursor, ...others } = parse(query);
  if (tag === undefined || !isEmpty(others)) return null;
  return { key: topicQuestionsPageKey(tagKey(tag), cursor) };
}

/** The parameters of a query that are plain, each once; what is not is looked at behind. */
function parse(query: string | undefined): Record<string, string> {
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
