import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Database, Reader } from './database.ts';
import type { EventStream } from './event-stream.ts';
import type { TopicEvent } from './events.ts';
import { readWritesCookie, trackWrites, type WriteTracker } from './read-your-writes.ts';
import type { Topic } from '#shared/core/events.ts';

/** The content of a document, which is the same for every viewer, and what makes it stale. */
export type DocumentContent = {
  json: string;
  /** The topics whose events may make it stale. */
  topics: readonly Topic[];
  isStaleBy: (event: TopicEvent) => boolean;
};

/** A document and how to read it. */
export type DocumentRequest = {
  /** The canonical URL of the document: path and query. A request for it is served before Hono. */
  key: string;
  /** The topics whose events may affect the document, as far as they are known before it is read. */
  topics: readonly Topic[];
  read: (db: Reader) => Promise<DocumentContent>;
};

export type Encoding = 'identity' | 'gzip';

/** A document in one encoding. */
export type CachedDocument = Pick<DocumentContent, 'topics' | 'isStaleBy'> & {
  body: Buffer<ArrayBuffer>;
  etag: string;
  headers: Readonly<Record<string, string>>;
  /** The headers of a response without a body (304). */
  notModifiedHeaders: Readonly<Record<string, string>>;
  /** The route in metrics, such as '/api/questions/:id'. */
  route: string;
};

/**
 * A document being read. Requests share it while it `isOpen`. An event that may affect it closes it for new requests.
 */
type PendingDocument = {
  document: Promise<CachedDocument>;
  next: Promise<CachedDocument> | undefined;
  topics: readonly Topic[];
  /** The events since the read started. */
  events: TopicEvent[];
  isOpen: boolean;
  /** There were more events than are recorded. */
  isTruncated: boolean;
};

/**
 * The maximum age of a document in milliseconds. It covers changes without an event: a manual SQL statement, or a node
 * of the previous version that publishes fewer events.
 */
const maxAgeMs = 10 * 60_000;

/** The maximum number of events recorded while a document is read. */
const maxPendingEvents = 5_000;

/** The memory overhead in bytes of a document (key, headers, objects) and of a topic. */
const documentBytes = 900;
const topicBytes = 150;

/**
 * Caches documents as bytes until an event affects them. Events of this process invalidate documents before the write
 * is acknowledged, events of other processes when the event stream delivers them. While the stream is not up to date,
 * nothing is served.
 */
export class ResponseCache {
  readonly #db: Database;
  readonly #stream: Pick<EventStream, 'isUpToDate'>;
  readonly #documents: LRUCache<string, CachedDocument>;
  readonly #keys = new Map<Topic, Set<string>>();
  readonly #pending = new Map<string, PendingDocument>();
  #hits = 0;
  #misses = 0;
  #reads = 0;
  /** Tracks the writes of this node for the cookie of the writer. */
  readonly writes: WriteTracker;

  constructor(options: {
    db: Database;
    stream: Pick<EventStream, 'isUpToDate' | 'position'>;
    /** The size of the cache in bytes. */
    maxBytes: number;
  }) {
    this.#db = options.db;
    this.#stream = options.stream;
    this.writes = trackWrites(options.db, options.stream.position);
    this.#documents = new LRUCache({
      maxSize: options.maxBytes,
      sizeCalculation: ({ body, topics }) => body.length + topics.length * topicBytes + documentBytes,
      ttl: maxAgeMs,
      ttlResolution: 1_000,
      dispose: ({ topics }, key) => this.#unlink(key, topics),
    });
  }

  /** The memory of all documents in bytes. */
  get bytes(): number {
    return this.#documents.calculatedSize;
  }

  /** The number of documents read from the database. */
  get documentsRead(): number {
    return this.#reads;
  }

  /** How often a document was found, and how often not. */
  get lookups(): { hits: number; misses: number } {
    return { hits: this.#hits, misses: this.#misses };
  }

  /**
   * Whether the cache is fresh enough for a request. It is not if the stream is not up to date, or if the browser has
   * written or seen something that this node has not received yet.
   */
  isFreshFor({ minPosition, cookie }: { minPosition: string | undefined; cookie: string | undefined }) {
    if (!this.#stream.isUpToDate()) return false;
    if (minPosition !== undefined && !this.writes.covers(minPosition)) return false;
    const token = cookie === undefined ? undefined : readWritesCookie(cookie);
    return token === undefined || this.writes.hasSeen(token);
  }

  find(key: string, encoding: Encoding): CachedDocument | undefined {
    const found = this.#documents.get(`${encoding} ${key}`);
    if (found !== undefined) this.#hits++;
    return found;
  }

  /** Returns the cached document, or reads it; it is never older than this call. Concurrent requests share one read. */
  async read(request: DocumentRequest, encoding: Encoding, route: string): Promise<CachedDocument> {
    const found = this.find(request.key, encoding);
    if (found !== undefined) return found;
    this.#misses++;
    return this.#readShared(request, encoding, route);
  }

  #readShared(request: DocumentRequest, encoding: Encoding, route: string): Promise<CachedDocument> {
    const key = `${encoding} ${request.key}`;
    const pending = this.#pending.get(key);
    if (pending === undefined)
      return this.#startRead(key, request, async () => {
        this.#reads++;
        return encodeDocument(await request.read(this.#db), encoding, route);
      });
    if (pending.isOpen) return pending.document;
    // At most one read runs and one waits. The waiting one starts after all requests that share it.
    const again = async () => this.#documents.get(key) ?? this.#readShared(request, encoding, route);
    return (pending.next ??= pending.document.then(again, again));
  }

  #startRead(
    key: string,
    { topics }: DocumentRequest,
    read: () => Promise<CachedDocument>,
  ): Promise<CachedDocument> {
    const pending: PendingDocument = {
      document: read().then(
        (document) => {
          this.#pending.delete(key);
          const isStale = pending.isTruncated || pending.events.some((event) => isAffected(document, event));
          if (!isStale) this.#put(key, document);
          return document;
        },
        (error: unknown) => {
          this.#pending.delete(key);
          throw error;
        },
      ),
      next: undefined,
      topics,
      events: [],
      isOpen: true,
      isTruncated: false,
    };
    this.#pending.set(key, pending);
    return pending.document;
  }

  applyEvents(events: readonly TopicEvent[]): void {
    // With the topic 'answers' alone, a question was restored, which affects only lists of answers.
    if (events.some(({ topic, event }) => event.kind === 'imported' && topic !== 'answers'))
      return this.clear();
    for (const each of events) {
      for (const key of this.#keys.get(each.topic) ?? [])
        if (this.#documents.peek(key)?.isStaleBy(each) === true) this.#documents.delete(key);
      for (const pending of this.#pending.values()) recordEvent(pending, each);
    }
  }

  /** Removes all documents, and those being read, because they may be stale: events were lost. */
  clear(): void {
    this.#documents.clear();
    for (const pending of this.#pending.values()) {
      pending.isOpen = false;
      pending.isTruncated = true;
    }
  }

  #put(key: string, document: CachedDocument): void {
    this.#documents.set(key, document);
    // A document that is larger than the whole cache is not stored.
    if (this.#documents.peek(key) !== document) return;
    for (const topic of document.topics) {
      const keys = this.#keys.get(topic);
      if (keys === undefined) this.#keys.set(topic, new Set([key]));
      else keys.add(key);
    }
  }

  #unlink(key: string, topics: readonly Topic[]): void {
    for (const topic of topics) {
      const keys = this.#keys.get(topic);
      if (keys?.delete(key) === true && keys.size === 0) this.#keys.delete(topic);
    }
  }
}

function isAffected(document: CachedDocument, event: TopicEvent): boolean {
  return document.topics.includes(event.topic) && document.isStaleBy(event);
}

function recordEvent(pending: PendingDocument, event: TopicEvent): void {
  if (pending.events.length === maxPendingEvents) pending.isTruncated = true;
  else pending.events.push(event);
  // The names in the document are not known yet.
  if (pending.topics.includes(event.topic) || event.event.kind === 'member-renamed') pending.isOpen = false;
}

/** Shorter documents are sent uncompressed. */
const minCompressBytes = 1_024;

/** This level saves half as many bytes as the best one, in a quarter of its time. */
const gzipLevel = 4;

export function encodeDocument(
  { json, topics, isStaleBy }: DocumentContent,
  wanted: Encoding,
  route: string,
): CachedDocument {
  const bytes = Buffer.from(json);
  const encoding = bytes.length < minCompressBytes ? 'identity' : wanted;
  const body = copyToOwnBuffer(encoding === 'gzip' ? gzipSync(bytes, { level: gzipLevel }) : bytes);
  const digest = hash('sha1', bytes, 'base64url');
  const etag = encoding === 'gzip' ? `"${digest}-gzip"` : `"${digest}"`;
  // With public reading, core/public-reading.ts replaces cache-control for visitors.
  const notModifiedHeaders = {
    'cache-control': 'private, no-cache',
    vary: 'accept-encoding, cookie',
    etag,
  };
  const headers = {
    ...notModifiedHeaders,
    'content-type': 'application/json',
    'content-length': String(body.length),
    ...(encoding === 'gzip' && { 'content-encoding': 'gzip' }),
  };
  return { body, etag, headers, notModifiedHeaders, route, topics, isStaleBy };
}

/**
 * Copies bytes to a buffer of their own. Buffers of zlib are parts of 16 KB blocks, and short ones of Buffer.from share
 * a pool: a stored slice would keep the whole block in memory.
 */
function copyToOwnBuffer(bytes: Buffer): Buffer<ArrayBuffer> {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}
