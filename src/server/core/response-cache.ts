import { LRUCache } from 'lru-cache';
import type { Database, Reader } from './database.ts';
import type { TopicEvent } from './events.ts';
import type { EventStream } from './event-stream.ts';
import type { Topic } from '#shared/core/events.ts';
import { EventCache, type CacheEntry } from './response-cache-store.ts';
import {
  fillPage,
  type ViewerPage,
  fillForOthers,
  type ViewerTopics,
  compressPage,
  type CachedPage,
  type PageKind,
  type PageContent,
  applyCounterEvent,
  createCachedPage,
  fillLastSlot,
} from './response-cache-page.ts';
import { type Participant, PageParticipants } from './response-cache-participants.ts';
import { trackWrites, type WriteTracker, writesCookie } from './read-your-writes.ts';

/** A page and how to read it. */
export type PageQuery = PageKind & {
  /** The same for all viewers of the page. */
  key: string;
  /** The topics known in advance whose events may affect the page. */
  topics: readonly Topic[];
  /** Reads the page and the viewer's values for its slots in one statement. */
  read: (db: Reader) => Promise<{ parts: PageContent; values: readonly string[] }>;
  /** Reads only the viewer's values. */
  readViewerValues: (db: Reader, ids: readonly number[]) => Promise<readonly string[]>;
  viewerTopics: ViewerTopics;
  /**
   * For pages whose last slot is a time: reads all members who have values of their own on the page. Null if there are
   * too many. Later changes arrive as `ViewerChange`.
   */
  readParticipants?: (db: Reader, ids: readonly number[]) => Promise<readonly Participant[] | null>;
};

/** A member's own values have changed on the pages of a topic. Null: on any page. */
export type ViewerChange = { memberId: number; topic: Topic | null };

/** A flag of a member that determines what they see and changes rarely. */
export type MemberFlag = Pick<CacheEntry, 'topics' | 'isStaleBy'> & {
  key: string;
  read: (db: Reader) => Promise<boolean>;
};

/** The approximate memory of a flag in bytes. */
const flagBytes = 400;

type CachedFlag = CacheEntry & { value: boolean };

/**
 * Caches pages as bytes for all viewers until an event affects them. Events of this process invalidate entries before
 * the write is acknowledged, events of other processes when the event stream delivers them. While the stream is not up
 * to date, nothing is stored or served.
 */
export class ResponseCache {
  readonly #db: Database;
  readonly #stream: Pick<EventStream, 'isUpToDate'>;
  readonly #written: WriteTracker;
  readonly #pages: EventCache<CachedPage>;
  readonly #filled: EventCache<ViewerPage>;
  readonly #participants: LRUCache<string, CachedParticipants>;
  /** Pages whose viewer values were requested once. Their participants are loaded on the next request. */
  readonly #requestedOnce = new WeakSet<CachedPage['identity']>();
  readonly #memberFlags: EventCache<CachedFlag>;
  readonly #getChange: (event: TopicEvent) => ViewerChange | undefined;
  #pageReads = 0;
  #viewerReads = 0;
  #hits = 0;
  #misses = 0;

  /** @param options `maxBytes` is the size of the whole cache; 0 disables it */
  constructor(options: {
    db: Database;
    stream: Pick<EventStream, 'isUpToDate' | 'position'>;
    maxBytes: number;
    getChange: (event: TopicEvent) => ViewerChange | undefined;
  }) {
    const { db, stream, maxBytes, getChange } = options;
    this.#db = db;
    this.#stream = stream;
    this.#getChange = getChange;
    this.#written = trackWrites(db, stream.position);
    const share = (part: number) => Math.max(1, Math.floor(maxBytes * part));
    this.#pages = new EventCache<CachedPage>(share(0.7), {
      update: applyCounterEvent,
      onEvict: ({ viewerPageKeys }) => {
        for (const key of viewerPageKeys ?? []) this.#filled.delete(key);
      },
    });
    this.#participants = new LRUCache({
      maxSize: share(0.1),
      sizeCalculation: ({ participants }) => participants.bytes,
    });
    this.#filled = new EventCache<ViewerPage>(share(0.15), {
      admit: ({ page }, key) => {
        (page.viewerPageKeys ??= new Set()).add(key);
        return this.#pages.find(page.key) === page;
      },
      onEvict: ({ page }, key) => void page.viewerPageKeys?.delete(key),
    });
    this.#memberFlags = new EventCache<CachedFlag>(share(0.05));
  }

  /** The memory of all entries in bytes. */
  get bytes(): number {
    return (
      this.#pages.bytes + this.#filled.bytes + this.#participants.calculatedSize + this.#memberFlags.bytes
    );
  }

  /** The number of pages read from the database. */
  get pagesRead(): number {
    return this.#pageReads;
  }

  /** How often a page was cached but the viewer's values had to be read from the database. */
  get viewerReads(): number {
    return this.#viewerReads;
  }

  /** How often a page was found, and how often not. */
  get lookups(): { hits: number; misses: number } {
    return { hits: this.#hits, misses: this.#misses };
  }

  /** Tracks the writes of this node for the cookie of the writer. */
  get writes(): WriteTracker {
    return this.#written;
  }

  applyEvents(events: readonly TopicEvent[]): void {
    if (events.some(({ event }) => event.kind === 'imported')) return this.clear();
    this.#pages.applyEvents(events);
    this.#filled.applyEvents(events);
    this.#memberFlags.applyEvents(events);
    for (const each of events) {
      const own = this.#getChange(each);
      if (own !== undefined) this.#markChanged(own);
    }
  }

  #markChanged({ memberId, topic }: ViewerChange): void {
    const keys = topic === null ? this.#participants.keys() : this.#pages.keysOf(topic);
    for (const key of keys) this.#participants.peek(key)?.participants.markChanged(memberId);
  }

  /** Clears the cache after a gap in the events. */
  clear(): void {
    this.#pages.clear();
    this.#filled.clear();
    this.#participants.clear();
    this.#memberFlags.clear();
  }

  /**
   * Whether the cache is fresh enough for a request. It is not if the stream is not up to date, or if the browser has
   * written or seen something that this node has not received yet.
   */
  isFreshFor(headers: { minPosition: string | undefined; cookie: string | undefined }): boolean {
    if (!this.#stream.isUpToDate()) return false;
    const { minPosition, cookie } = headers;
    if (minPosition !== undefined && !this.#written.covers(minPosition)) return false;
    const token = cookie === undefined ? undefined : readWritesCookie(cookie);
    return token === undefined || this.#written.hasSeen(token);
  }

  /** Returns the cached page for a viewer. */
  find(key: string, viewerId: number): ViewerPage | undefined {
    const found = this.#find(key, viewerId);
    if (found !== undefined) this.#hits++;
    return found;
  }

  #find(key: string, viewerId: number): ViewerPage | undefined {
    const page = this.#pages.find(key);
    if (page === undefined || page.viewerSlots.length === 0) return page && fillForOthers(page);
    const time = this.#participantsOf(page)?.participants.find(viewerId);
    if (time === null) return fillForOthers(page);
    if (time !== undefined) return fillLastSlot(page, JSON.stringify(new Date(time)));
    const filled = this.#filled.find(viewerPageKey(key, viewerId));
    return filled?.page === page ? filled : undefined;
  }

  async read(wanted: PageQuery, viewerId: number): Promise<ViewerPage> {
    const { key, topics, viewerKeys, viewerTopics } = wanted;
    const found = this.find(key, viewerId);
    if (found !== undefined) return found;
    this.#misses++;
    if (viewerKeys.length === 0)
      return fillForOthers(
        await this.#pages.getOrCreate(key, topics, async () =>
          createPage(wanted, await this.#readAll(wanted)),
        ),
      );
    if (await this.#loadParticipants(wanted)) {
      const again = this.#find(key, viewerId);
      if (again !== undefined) return again;
    }
    // A request after an event on the page must not share a creation that started before it.
    const concerning = [...topics, ...viewerTopics.topics];
    return this.#filled.getOrCreate(viewerPageKey(key, viewerId), concerning, async () => {
      let values: readonly string[] | undefined;
      const page = await this.#pages.getOrCreate(key, topics, async () => {
        const all = await this.#readAll(wanted);
        values = all.values;
        return createPage(wanted, all);
      });
      return fillPage(page, { values: values ?? (await this.#readOwn(wanted, page)), ...viewerTopics });
    });
  }

  /** Loads the participants when a second member requests the page. Returns false if they cannot be loaded. */
  async #loadParticipants({ key, readParticipants }: PageQuery): Promise<boolean> {
    const page = this.#pages.find(key);
    if (page === undefined || readParticipants === undefined) return false;
    const known = this.#participantsOf(page) ?? this.#readParticipants(page, readParticipants);
    await known?.read;
    return known !== undefined;
  }

  #readParticipants(
    page: CachedPage,
    readParticipants: NonNullable<PageQuery['readParticipants']>,
  ): CachedParticipants | undefined {
    const { key, identity, ids } = page;
    if (!this.#requestedOnce.has(identity)) {
      this.#requestedOnce.add(identity);
      return undefined;
    }
    const participants = new PageParticipants(identity);
    const read = async () => {
      try {
        participants.load(await readParticipants(this.#db, ids));
      } finally {
        // Stores it again with its new size. Values that were not loaded can be read again.
        if (this.#participants.peek(key) === known) {
          this.#participants.delete(key);
          if (participants.isLoaded) this.#participants.set(key, known);
        }
      }
    };
    const known: CachedParticipants = { participants, read: Promise.resolve() };
    this.#participants.set(key, known);
    known.read = read();
    return known;
  }

  #participantsOf(page: CachedPage): CachedParticipants | undefined {
    const known = this.#participants.get(page.key);
    return known?.participants.identity === page.identity ? known : undefined;
  }

  #readOwn(wanted: PageQuery, { ids }: CachedPage) {
    this.#viewerReads++;
    return wanted.readViewerValues(this.#db, ids);
  }

  #readAll(wanted: PageQuery) {
    this.#pageReads++;
    return wanted.read(this.#db);
  }

  /** A cached flag of a member. Undefined if it was not read since it may have changed. */
  findMemberFlag(key: string): boolean | undefined {
    return this.#memberFlags.find(key)?.value;
  }

  async getMemberFlag({ key, topics, isStaleBy, read }: MemberFlag): Promise<boolean> {
    const flag = await this.#memberFlags.getOrCreate(key, topics, async () => {
      return { value: await read(this.#db), topics, isStaleBy, bytes: flagBytes };
    });
    return flag.value;
  }
}

/** `read` settles once the participants are loaded. */
type CachedParticipants = { participants: PageParticipants; read: Promise<void> };

const createPage = (wanted: PageQuery, { parts }: { parts: PageContent }) =>
  compressPage(createCachedPage(wanted.key, wanted, parts));

const viewerPageKey = (key: string, viewerId: number) => `${viewerId} ${key}`;

const writesCookiePattern = new RegExp(`(?:^|;)\\s*${writesCookie.replace('.', '\\.')}=([^;]*)`);

function readWritesCookie(cookie: string): string | undefined {
  const [, value] = writesCookiePattern.exec(cookie) ?? [];
  if (value === undefined) return undefined;
  try {
    return decodeURIComponent(value);
  } catch {
    // Not created by Parley, so it has no position.
    return '';
  }
}
