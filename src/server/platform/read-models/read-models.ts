import type { Database, Reader } from '#server/platform/database.ts';
import type { StreamedEvent } from '#server/platform/events.ts';
import type { EventStream } from '#server/platform/stream.ts';
import type { Topic } from '#shared/events.ts';
import { Keep, type Keepable } from './keep.ts';
import { fill, type FilledPage, type OwnTopics, type Page, type PageParts, toPage } from './page.ts';
import { followWritten, type Written, writtenCookie } from './written.ts';

/** A page that somebody wants to see. */
export type WantedPage = {
  /** The same for the same page, whoever wants it. */
  key: string;
  /** Those known beforehand, whose events may concern it. */
  topics: readonly Topic[];
  /** The keys of values that are the viewer's own. */
  own: readonly string[];
  /** The page, and the viewer's values for its slots, from one statement. */
  read: (db: Reader) => Promise<{ parts: PageParts; values: readonly string[] }>;
  /** The viewer's values alone. */
  readOwn: (db: Reader, ids: readonly number[]) => Promise<readonly string[]>;
  ownStaleBy: OwnTopics;
};

/** Something about a member that decides what they are shown, and changes seldom. */
export type Fact = Pick<Keepable, 'topics' | 'isStaleBy'> & {
  key: string;
  read: (db: Reader) => Promise<boolean>;
};

/** Bytes a fact takes, about. */
const factSize = 400;

type KeptFact = Keepable & { holds: boolean };

/**
 * Pages as bytes, for all who look at them until something happens that they show: DESIGN section 2. What this process
 * commits makes them stale before it is acknowledged, what others commit as soon as the stream of events tells of it.
 * While that is not followed, nothing is kept and nothing that is kept is shown.
 */
export class ReadModels {
  readonly #db: Database;
  readonly #stream: Pick<EventStream, 'isFollowed'>;
  readonly #written: Written;
  readonly #pages: Keep<Page>;
  readonly #filled: Keep<FilledPage>;
  readonly #facts: Keep<KeptFact>;
  #made = 0;

  /** @param maxBytes of all that is kept; 0 keeps nothing. */
  constructor(options: {
    db: Database;
    stream: Pick<EventStream, 'isFollowed' | 'position'>;
    maxBytes: number;
  }) {
    const { db, stream, maxBytes } = options;
    this.#db = db;
    this.#stream = stream;
    this.#written = followWritten(db, stream.position);
    const share = (part: number) => Math.max(1, Math.floor(maxBytes * part));
    this.#pages = new Keep<Page>(share(0.7), {
      onDrop: ({ filled }) => {
        for (const key of filled) this.#filled.drop(key);
      },
    });
    this.#filled = new Keep<FilledPage>(share(0.25), {
      admit: ({ page }, key) => {
        page.filled.add(key);
        return this.#pages.find(page.key) === page;
      },
      onDrop: ({ page }, key) => void page.filled.delete(key),
    });
    this.#facts = new Keep<KeptFact>(share(0.05));
  }

  /** Bytes of all that is kept. */
  get size(): number {
    return this.#pages.size + this.#filled.size + this.#facts.size;
  }

  /** How many pages were read from the database to be kept. */
  get made(): number {
    return this.#made;
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
  }

  /** Something happened that nobody told of. */
  clear(): void {
    this.#pages.clear();
    this.#filled.clear();
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
    const page = this.#pages.find(key);
    if (page === undefined || page.slots.length === 0) return page && whole(page);
    const filled = this.#filled.find(filledKey(key, viewerId));
    return filled?.page === page ? filled : undefined;
  }

  async read(wanted: WantedPage, viewerId: number): Promise<FilledPage> {
    const { key, topics, own, ownStaleBy } = wanted;
    const found = this.find(key, viewerId);
    if (found !== undefined) return found;
    if (own.length === 0)
      return whole(
        await this.#pages.get(key, topics, async () => toPage(key, own, (await this.#readAll(wanted)).parts)),
      );
    // Nobody who asks after an event of the page gets what was begun before it.
    const concerning = [...topics, ...ownStaleBy.topics];
    return this.#filled.get(filledKey(key, viewerId), concerning, async () => {
      let values: readonly string[] | undefined;
      const page = await this.#pages.get(key, topics, async () => {
        const all = await this.#readAll(wanted);
        values = all.values;
        return toPage(key, own, all.parts);
      });
      return fill(page, { values: values ?? (await wanted.readOwn(this.#db, page.ids)), ...ownStaleBy });
    });
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

/** A page without slots, for everybody. */
function whole(page: Page): FilledPage {
  let filled = wholes.get(page);
  if (filled === undefined) {
    filled = fill(page, { values: [], topics: [], isStaleBy: () => false });
    wholes.set(page, filled);
  }
  return filled;
}

const wholes = new WeakMap<Page, FilledPage>();

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
