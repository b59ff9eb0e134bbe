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

/** A page that somebody wants to see. */
export type PageQuery = PageKind & {
  /** The same for the same page, whoever wants it. */
  key: string;
  /** Those known beforehand, whose events may concern it. */
  topics: readonly Topic[];
  /** The page, and the viewer's values for its slots, from one statement. */
  read: (db: Reader) => Promise<{ parts: PageContent; values: readonly string[] }>;
  /** The viewer's values alone. */
  readViewerValues: (db: Reader, ids: readonly number[]) => Promise<readonly string[]>;
  viewerTopics: ViewerTopics;
  /**
   * For pages whose last slot is a time: all members who have anything of their own on it, or null where there are too
   * many. What any member does later is told as `OwnNews`.
   */
  readParticipants?: (db: Reader, ids: readonly number[]) => Promise<readonly Participant[] | null>;
};

/** A member has more or less of their own than before on the pages of a topic; null: on any page. */
export type ViewerChange = { memberId: number; topic: Topic | null };

/** Something about a member that decides what they are shown, and changes seldom. */
export type MemberFact = Pick<CacheEntry, 'topics' | 'isStaleBy'> & {
  key: string;
  read: (db: Reader) => Promise<boolean>;
};

/** Bytes a fact takes, about. */
const factBytes = 400;

type CachedFact = CacheEntry & { holds: boolean };

/**
 * Pages as bytes, for all who look at them until something happens that they show. What this process
 * commits makes them stale before it is acknowledged, what others commit as soon as the stream of events tells of it.
 * While that is not followed, nothing is kept and nothing that is kept is shown.
 */
export class ResponseCache {
  readonly #db: Database;
  readonly #stream: Pick<EventStream, 'isUpToDate'>;
  readonly #written: WriteTracker;
  readonly #pages: EventCache<CachedPage>;
  readonly #filled: EventCache<ViewerPage>;
  readonly #regulars: LRUCache<string, CachedParticipants>;
  /** Pages of which somebody has asked what is their own. */
  readonly #askedOnce = new WeakSet<CachedPage['identity']>();
  readonly #facts: EventCache<CachedFact>;
  readonly #ownNews: (news: TopicEvent) => ViewerChange | undefined;
  #made = 0;
  #asked = 0;
  #hits = 0;
  #misses = 0;

  /** @param maxBytes of all that is kept; 0 keeps nothing. */
  constructor(options: {
    db: Database;
    stream: Pick<EventStream, 'isUpToDate' | 'position'>;
    maxBytes: number;
    ownNews: (news: TopicEvent) => ViewerChange | undefined;
  }) {
    const { db, stream, maxBytes, ownNews } = options;
    this.#db = db;
    this.#stream = stream;
    this.#ownNews = ownNews;
    this.#written = trackWrites(db, stream.position);
    const share = (part: number) => Math.max(1, Math.floor(maxBytes * part));
    this.#pages = new EventCache<CachedPage>(share(0.7), {
      update: applyCounterEvent,
      onEvict: ({ viewerPageKeys }) => {
        for (const key of viewerPageKeys ?? []) this.#filled.delete(key);
      },
    });
    this.#regulars = new LRUCache({
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
    this.#facts = new EventCache<CachedFact>(share(0.05));
  }

  /** Bytes of all that is kept. */
  get bytes(): number {
    return this.#pages.bytes + this.#filled.bytes + this.#regulars.calculatedSize + this.#facts.bytes;
  }

  /** How many pages were read from the database to be kept. */
  get pagesRead(): number {
    return this.#made;
  }

  /** How often a page was there, but what is the viewer's own on it had to be read from the database. */
  get viewerReads(): number {
    return this.#asked;
  }

  /** How many times a page was there when it was looked for, and how many times it was not. */
  get lookups(): { hits: number; misses: number } {
    return { hits: this.#hits, misses: this.#misses };
  }

  /** Names what was written here, for the cookie of whoever wrote. */
  get writes(): WriteTracker {
    return this.#written;
  }

  applyEvents(news: readonly TopicEvent[]): void {
    if (news.some(({ event }) => event.kind === 'imported')) return this.clear();
    this.#pages.applyEvents(news);
    this.#filled.applyEvents(news);
    this.#facts.applyEvents(news);
    for (const each of news) {
      const own = this.#ownNews(each);
      if (own !== undefined) this.#changeRegulars(own);
    }
  }

  #changeRegulars({ memberId, topic }: ViewerChange): void {
    const keys = topic === null ? this.#regulars.keys() : this.#pages.keysOf(topic);
    for (const key of keys) this.#regulars.peek(key)?.participants.markChanged(memberId);
  }

  /** Something happened that nobody told of. */
  clear(): void {
    this.#pages.clear();
    this.#filled.clear();
    this.#regulars.clear();
    this.#facts.clear();
  }

  /**
   * Whether what is kept is new enough for a request: not where the stream is not followed, and not for a browser that
   * has written or was told what this node has not heard of.
   */
  isFreshFor(headers: { seen: string | undefined; cookie: string | undefined }): boolean {
    if (!this.#stream.isUpToDate()) return false;
    const { seen, cookie } = headers;
    if (seen !== undefined && !this.#written.covers(seen)) return false;
    const token = cookie === undefined ? undefined : readWritesCookie(cookie);
    return token === undefined || this.#written.hasSeen(token);
  }

  /** What is kept of a page for a viewer. */
  find(key: string, viewerId: number): ViewerPage | undefined {
    const found = this.#find(key, viewerId);
    if (found !== undefined) this.#hits++;
    return found;
  }

  #find(key: string, viewerId: number): ViewerPage | undefined {
    const page = this.#pages.find(key);
    if (page === undefined || page.viewerSlots.length === 0) return page && fillForOthers(page);
    const time = this.#regularsOf(page)?.participants.find(viewerId);
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
    if (await this.#learnRegulars(wanted)) {
      const again = this.#find(key, viewerId);
      if (again !== undefined) return again;
    }
    // Nobody who asks after an event of the page gets what was begun before it.
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

  /** Of a page that a second member asks for. Returns whether there is anything to be learned of it. */
  async #learnRegulars({ key, readParticipants }: PageQuery): Promise<boolean> {
    const page = this.#pages.find(key);
    if (page === undefined || readParticipants === undefined) return false;
    const known = this.#regularsOf(page) ?? this.#readRegulars(page, readParticipants);
    await known?.read;
    return known !== undefined;
  }

  #readRegulars(
    page: CachedPage,
    readRegulars: NonNullable<PageQuery['readParticipants']>,
  ): CachedParticipants | undefined {
    const { key, identity, ids } = page;
    if (!this.#askedOnce.has(identity)) {
      this.#askedOnce.add(identity);
      return undefined;
    }
    const participants = new PageParticipants(identity);
    const read = async () => {
      try {
        participants.load(await readRegulars(this.#db, ids));
      } finally {
        // With its size as it is now; what was not read can be read again.
        if (this.#regulars.peek(key) === known) {
          this.#regulars.delete(key);
          if (participants.isLoaded) this.#regulars.set(key, known);
        }
      }
    };
    const known: CachedParticipants = { participants, read: Promise.resolve() };
    this.#regulars.set(key, known);
    known.read = read();
    return known;
  }

  #regularsOf(page: CachedPage): CachedParticipants | undefined {
    const known = this.#regulars.get(page.key);
    return known?.participants.identity === page.identity ? known : undefined;
  }

  #readOwn(wanted: PageQuery, { ids }: CachedPage) {
    this.#asked++;
    return wanted.readViewerValues(this.#db, ids);
  }

  #readAll(wanted: PageQuery) {
    this.#made++;
    return wanted.read(this.#db);
  }

  /** What is known of a member; undefined where nobody has asked since it may have changed. */
  findFact(key: string): boolean | undefined {
    return this.#facts.find(key)?.holds;
  }

  async getFact({ key, topics, isStaleBy, read }: MemberFact): Promise<boolean> {
    const fact = await this.#facts.getOrCreate(key, topics, async () => {
      return { holds: await read(this.#db), topics, isStaleBy, bytes: factBytes };
    });
    return fact.holds;
  }
}

/** Settled once they are read. */
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
    // Nobody of ours wrote it: then nothing is known of it.
    return '';
  }
}
