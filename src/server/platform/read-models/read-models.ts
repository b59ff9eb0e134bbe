import { LRUCache } from 'lru-cache';
import type { Database, Reader } from '#server/platform/database.ts';
import type { StreamedEvent } from '#server/platform/events.ts';
import type { EventStream } from '#server/platform/stream.ts';
import type { Topic } from '#shared/events.ts';
import { Keep, type Keepable } from './keep.ts';
import {
  fill,
  type FilledPage,
  forNobody,
  type OwnTopics,
  packed,
  type Page,
  type PageKind,
  type PageParts,
  revised,
  toPage,
  withLast,
} from './page.ts';
import { type Regular, Regulars } from './regulars.ts';
import { followWritten, type Written, writtenCookie } from './written.ts';

/** A page that somebody wants to see. */
export type WantedPage = PageKind & {
  /** The same for the same page, whoever wants it. */
  key: string;
  /** Those known beforehand, whose events may concern it. */
  topics: readonly Topic[];
  /** The page, and the viewer's values for its slots, from one statement. */
  read: (db: Reader) => Promise<{ parts: PageParts; values: readonly string[] }>;
  /** The viewer's values alone. */
  readOwn: (db: Reader, ids: readonly number[]) => Promise<readonly string[]>;
  ownStaleBy: OwnTopics;
  /**
   * For pages whose last slot is a time: all members who have anything of their own on it, or null where there are too
   * many. What any member does later is told as `OwnNews`.
   */
  readRegulars?: (db: Reader, ids: readonly number[]) => Promise<readonly Regular[] | null>;
};

/** A member has more or less of their own than before on the pages of a topic; null: on any page. */
export type OwnNews = { memberId: number; topic: Topic | null };

/** Something about a member that decides what they are shown, and changes seldom. */
export type Fact = Pick<Keepable, 'topics' | 'isStaleBy'> & {
  key: string;
  read: (db: Reader) => Promise<boolean>;
};

/** Bytes a fact takes, about. */
const factSize = 400;

type KeptFact = Keepable & { holds: boolean };

/**
 * Pages as bytes, for all who look at them until something happens that they show. What this process
 * commits makes them stale before it is acknowledged, what others commit as soon as the stream of events tells of it.
 * While that is not followed, nothing is kept and nothing that is kept is shown.
 */
export class ReadModels {
  readonly #db: Database;
  readonly #stream: Pick<EventStream, 'isFollowed'>;
  readonly #written: Written;
  readonly #pages: Keep<Page>;
  readonly #filled: Keep<FilledPage>;
  readonly #regulars: LRUCache<string, KnownRegulars>;
  /** Pages of which somebody has asked what is their own. */
  readonly #askedOnce = new WeakSet<Page['identity']>();
  readonly #facts: Keep<KeptFact>;
  readonly #ownNews: (news: StreamedEvent) => OwnNews | undefined;
  #made = 0;
  #asked = 0;
  #hits = 0;
  #misses = 0;

  /** @param maxBytes of all that is kept; 0 keeps nothing. */
  constructor(options: {
    db: Database;
    stream: Pick<EventStream, 'isFollowed' | 'position'>;
    maxBytes: number;
    ownNews: (news: StreamedEvent) => OwnNews | undefined;
  }) {
    const { db, stream, maxBytes, ownNews } = options;
    this.#db = db;
    this.#stream = stream;
    this.#ownNews = ownNews;
    this.#written = followWritten(db, stream.position);
    const share = (part: number) => Math.max(1, Math.floor(maxBytes * part));
    this.#pages = new Keep<Page>(share(0.7), {
      revise: revised,
      onDrop: ({ filled }) => {
        for (const key of filled ?? []) this.#filled.drop(key);
      },
    });
    this.#regulars = new LRUCache({
      maxSize: share(0.1),
      sizeCalculation: ({ regulars }) => regulars.size,
    });
    this.#filled = new Keep<FilledPage>(share(0.15), {
      admit: ({ page }, key) => {
        (page.filled ??= new Set()).add(key);
        return this.#pages.find(page.key) === page;
      },
      onDrop: ({ page }, key) => void page.filled?.delete(key),
    });
    this.#facts = new Keep<KeptFact>(share(0.05));
  }

  /** Bytes of all that is kept. */
  get size(): number {
    return this.#pages.size + this.#filled.size + this.#regulars.calculatedSize + this.#facts.size;
  }

  /** How many pages were read from the database to be kept. */
  get made(): number {
    return this.#made;
  }

  /** How often a page was there, but what is the viewer's own on it had to be read from the database. */
  get asked(): number {
    return this.#asked;
  }

  /** How many times a page was there when it was looked for, and how many times it was not. */
  get lookups(): { hits: number; misses: number } {
    return { hits: this.#hits, misses: this.#misses };
  }

  /** Names what was written here, for the cookie of whoever wrote. */
  get written(): Written {
    return this.#written;
  }

  changed(news: readonly StreamedEvent[]): void {
    if (news.some(({ event }) => event.kind === 'imported')) return this.clear();
    this.#pages.changed(news);
    this.#filled.changed(news);
    this.#facts.changed(news);
    for (const each of news) {
      const own = this.#ownNews(each);
      if (own !== undefined) this.#changeRegulars(own);
    }
  }

  #changeRegulars({ memberId, topic }: OwnNews): void {
    const keys = topic === null ? this.#regulars.keys() : this.#pages.keysOf(topic);
    for (const key of keys) this.#regulars.peek(key)?.regulars.changed(memberId);
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
    if (!this.#stream.isFollowed()) return false;
    const { seen, cookie } = headers;
    if (seen !== undefined && !this.#written.covers(seen)) return false;
    const token = cookie === undefined ? undefined : writtenIn(cookie);
    return token === undefined || this.#written.hasHeard(token);
  }

  /** What is kept of a page for a viewer. */
  find(key: string, viewerId: number): FilledPage | undefined {
    const found = this.#find(key, viewerId);
    if (found !== undefined) this.#hits++;
    return found;
  }

  #find(key: string, viewerId: number): FilledPage | undefined {
    const page = this.#pages.find(key);
    if (page === undefined || page.slots.length === 0) return page && forNobody(page);
    const time = this.#regularsOf(page)?.regulars.find(viewerId);
    if (time === null) return forNobody(page);
    if (time !== undefined) return withLast(page, JSON.stringify(new Date(time)));
    const filled = this.#filled.find(filledKey(key, viewerId));
    return filled?.page === page ? filled : undefined;
  }

  async read(wanted: WantedPage, viewerId: number): Promise<FilledPage> {
    const { key, topics, own, ownStaleBy } = wanted;
    const found = this.find(key, viewerId);
    if (found !== undefined) return found;
    this.#misses++;
    if (own.length === 0)
      return forNobody(
        await this.#pages.get(key, topics, async () => pageOf(wanted, await this.#readAll(wanted))),
      );
    if (await this.#learnRegulars(wanted)) {
      const again = this.#find(key, viewerId);
      if (again !== undefined) return again;
    }
    // Nobody who asks after an event of the page gets what was begun before it.
    const concerning = [...topics, ...ownStaleBy.topics];
    return this.#filled.get(filledKey(key, viewerId), concerning, async () => {
      let values: readonly string[] | undefined;
      const page = await this.#pages.get(key, topics, async () => {
        const all = await this.#readAll(wanted);
        values = all.values;
        return pageOf(wanted, all);
      });
      return fill(page, { values: values ?? (await this.#readOwn(wanted, page)), ...ownStaleBy });
    });
  }

  /** Of a page that a second member asks for. Returns whether there is anything to be learned of it. */
  async #learnRegulars({ key, readRegulars }: WantedPage): Promise<boolean> {
    const page = this.#pages.find(key);
    if (page === undefined || readRegulars === undefined) return false;
    const known = this.#regularsOf(page) ?? this.#readRegulars(page, readRegulars);
    await known?.read;
    return known !== undefined;
  }

  #readRegulars(
    page: Page,
    readRegulars: NonNullable<WantedPage['readRegulars']>,
  ): KnownRegulars | undefined {
    const { key, identity, ids } = page;
    if (!this.#askedOnce.has(identity)) {
      this.#askedOnce.add(identity);
      return undefined;
    }
    const regulars = new Regulars(identity);
    const read = async () => {
      try {
        regulars.take(await readRegulars(this.#db, ids));
      } finally {
        // With its size as it is now; what was not read can be read again.
        if (this.#regulars.peek(key) === known) {
          this.#regulars.delete(key);
          if (regulars.isRead) this.#regulars.set(key, known);
        }
      }
    };
    const known: KnownRegulars = { regulars, read: Promise.resolve() };
    this.#regulars.set(key, known);
    known.read = read();
    return known;
  }

  #regularsOf(page: Page): KnownRegulars | undefined {
    const known = this.#regulars.get(page.key);
    return known?.regulars.identity === page.identity ? known : undefined;
  }

  #readOwn(wanted: WantedPage, { ids }: Page) {
    this.#asked++;
    return wanted.readOwn(this.#db, ids);
  }

  #readAll(wanted: WantedPage) {
    this.#made++;
    return wanted.read(this.#db);
  }

  /** What is known of a member; undefined where nobody has asked since it may have changed. */
  known(key: string): boolean | undefined {
    return this.#facts.find(key)?.holds;
  }

  async learn({ key, topics, isStaleBy, read }: Fact): Promise<boolean> {
    const fact = await this.#facts.get(key, topics, async () => {
      return { holds: await read(this.#db), topics, isStaleBy, size: factSize };
    });
    return fact.holds;
  }
}

/** Settled once they are read. */
type KnownRegulars = { regulars: Regulars; read: Promise<void> };

const pageOf = (wanted: WantedPage, { parts }: { parts: PageParts }) =>
  packed(toPage(wanted.key, wanted, parts));

const filledKey = (key: string, viewerId: number) => `${viewerId} ${key}`;

const writtenPattern = new RegExp(`(?:^|;)\\s*${writtenCookie.replace('.', '\\.')}=([^;]*)`);

function writtenIn(cookie: string): string | undefined {
  const [, value] = writtenPattern.exec(cookie) ?? [];
  if (value === undefined) return undefined;
  try {
    return decodeURIComponent(value);
  } catch {
    // Nobody of ours wrote it: then nothing is known of it.
    return '';
  }
}
