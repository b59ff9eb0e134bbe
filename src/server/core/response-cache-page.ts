import { hash } from 'node:crypto';
import type { TopicEvent } from './events.ts';
import type { Topic } from '#shared/core/events.ts';
import {
  copyToOwnBuffer,
  type DeflatedPrefix,
  deflatePrefix,
  gzipBytes,
  gzipWithPrefix,
  inflatePrefix,
} from './response-cache-gzip.ts';
import type { CacheEntry } from './response-cache-store.ts';

/**
 * A page as JSON, the same for every member except for its slots. Each slot contains the default value until it is
 * filled with the viewer's own value.
 */
export type CachedPage = CacheEntry & {
  key: string;
  /** The same object for all versions of a page that differ only in the counter. */
  identity: object;
  /** The bytes before the counter, or before the last slot if that is near the end. May be compressed. */
  head: Buffer | DeflatedPrefix;
  headTag: string;
  tail: Buffer;
  viewerSlots: readonly ViewerSlot[];
  counter: (PageCounter & { at: number; value: number }) | undefined;
  /** The ids of the items whose viewer values are in the slots, as defined by the kind of page. */
  ids: readonly number[];
  /** The ETag of the page with default values. */
  etag: string;
  /** The page with default values, created on first use. */
  withoutViewer: ViewerPage | undefined;
  /** The keys of the cached viewer pages that are removed with this page. Most pages have none. */
  viewerPageKeys: Set<string> | undefined;
};

/** A number that changes often and only grows. On the page it comes after all slots but the last. */
export type PageCounter = {
  key: string;
  /** The value after an event. Undefined if the event does not contain it. */
  valueAfter: (event: TopicEvent) => number | undefined;
};

/** The properties of a kind of page: the JSON keys of the viewer's values, and its counter. */
export type PageKind = { viewerKeys: readonly string[]; counter?: PageCounter | undefined };

/** The position of a slot in the bytes, and its default value. */
type ViewerSlot = { offset: number; defaultValue: 'null' | 'false' };

/** A page for one viewer, with the values of the slots that differ from the default. */
export type ViewerPage = CacheEntry & {
  page: CachedPage;
  viewerValues: readonly (ViewerSlot & { value: string })[];
  /** The ETag of the bytes: equal bytes have equal ETags. */
  etag: string;
  gzipped: Buffer | undefined;
};

/** The content of a page that was read from the database. */
export type PageContent = Pick<CacheEntry, 'topics' | 'isStaleBy'> & {
  /** The slots contain their default values. */
  json: string;
  ids: readonly number[];
};

/** The memory overhead in bytes of an entry (keys, indexes, objects), of a topic and of a slot. */
const entryBytes = 600;
const topicBytes = 150;
const slotBytes = 60;

/** Shorter pages are sent uncompressed. */
const minCompressBytes = 1_024;

/** Up to this many bytes after the last slot are sent uncompressed. */
const maxTailBytes = 1_024;

export function createCachedPage(key: string, kind: PageKind, parts: PageContent): CachedPage {
  const { ids, topics, isStaleBy, json } = parts;
  const whole = Buffer.from(json);
  const viewerSlots = kind.viewerKeys.length === 0 ? [] : findSlots(json, kind.viewerKeys);
  const counter = kind.counter && { ...kind.counter, ...findCounter(json, kind.counter) };
  if (counter !== undefined && counter.at < (viewerSlots.at(-2)?.offset ?? 0))
    throw new Error(`The counter of the page ${key} comes before a slot that is not the last`);
  const tailStart = counter?.at ?? viewerSlots.at(-1)?.offset ?? -Infinity;
  const splitAt = whole.length - tailStart > maxTailBytes ? whole.length : tailStart;
  const [head, tail] = [whole.subarray(0, splitAt), whole.subarray(splitAt)];
  const headTag = hash('sha1', head, 'base64url');
  return {
    key,
    identity: {},
    head,
    headTag,
    tail,
    viewerSlots,
    counter: counter !== undefined && counter.at >= splitAt ? counter : undefined,
    ids,
    etag: computeEtag(headTag, tail),
    topics,
    isStaleBy,
    bytes: whole.length + viewerSlots.length * slotBytes + topics.length * topicBytes + entryBytes,
    withoutViewer: undefined,
    viewerPageKeys: undefined,
  };
}

const computeEtag = (headTag: string, end: Buffer) =>
  hash('sha1', `${headTag} ${end.toString('latin1')}`, 'base64url');

/** Compresses a page for the cache. Most clients accept gzip, and it takes a third of the memory. */
export function compressPage(page: CachedPage): CachedPage {
  const { head } = page;
  if ('deflated' in head) return page;
  const compressedHead = pageLength(page) < minCompressBytes ? copyToOwnBuffer(head) : deflatePrefix(head);
  const size = 'deflated' in compressedHead ? compressedHead.deflated.length : compressedHead.length;
  return {
    ...page,
    head: compressedHead,
    tail: copyToOwnBuffer(page.tail),
    bytes: page.bytes - head.length + size,
  };
}

/** Updates the page after an event that makes it stale. Returns undefined if it must be read again. */
export function applyCounterEvent(page: CachedPage, event: TopicEvent): CachedPage | undefined {
  const { counter, head, headTag, viewerSlots } = page;
  const value = counter?.valueAfter(event);
  if (counter === undefined || value === undefined) return undefined;
  // Events of two nodes may arrive in reverse order.
  if (value <= counter.value) return page;
  const [from, longer] = [counter.at - head.length, digits(value) - digits(counter.value)];
  const tail = copyToOwnBuffer(
    Buffer.concat([
      page.tail.subarray(0, from),
      Buffer.from(String(value)),
      page.tail.subarray(from + digits(counter.value)),
    ]),
  );
  return {
    ...page,
    tail,
    viewerSlots: viewerSlots.map((slot) =>
      slot.offset > counter.at ? { ...slot, offset: slot.offset + longer } : slot,
    ),
    counter: { ...counter, value },
    etag: computeEtag(headTag, tail),
    withoutViewer: undefined,
    viewerPageKeys: undefined,
  };
}

const digits = (value: number) => String(value).length;

/** The page with default values. */
export function fillForOthers(page: CachedPage): ViewerPage {
  return (page.withoutViewer ??= fillSlots(page, [], { topics: [], isStaleBy: () => false }));
}

/**
 * The page for a viewer whose only own value is the last slot.
 * @param value as JSON
 */
export function fillLastSlot(page: CachedPage, value: string): ViewerPage {
  const last = page.viewerSlots.at(-1);
  if (last === undefined) throw new Error(`The page ${page.key} has no slot`);
  return fillSlots(page, [{ ...last, value }], { topics: [], isStaleBy: () => false });
}

/**
 * Fills the slots of a page.
 * @param viewer the JSON for each slot in order, and what makes the result stale
 */
export function fillPage(
  page: CachedPage,
  viewer: Pick<CacheEntry, 'topics' | 'isStaleBy'> & { values: readonly string[] },
): ViewerPage {
  const { viewerSlots } = page;
  if (viewer.values.length !== viewerSlots.length)
    throw new Error(
      `The page ${page.key} has ${viewerSlots.length} slots but ${viewer.values.length} values`,
    );
  const own = viewerSlots
    .map((slot, index) => ({ ...slot, value: viewer.values[index] ?? '' }))
    .filter(({ defaultValue, value }) => defaultValue !== value);
  return fillSlots(page, own, viewer);
}

function fillSlots(
  page: CachedPage,
  own: ViewerPage['viewerValues'],
  { topics, isStaleBy }: Pick<CacheEntry, 'topics' | 'isStaleBy'>,
): ViewerPage {
  const values = own.map(({ offset, value }) => `${offset} ${value}`).join();
  const tag = own.length === 0 ? page.etag : hash('sha1', `${page.etag} ${values}`, 'base64url');
  const filled = {
    page,
    viewerValues: own,
    etag: tag,
    gzipped: undefined,
    topics,
    isStaleBy,
    bytes: entryBytes,
  };
  // Its own compressed bytes, if it cannot share those of the page.
  filled.bytes += own.length * slotBytes + (hasSharedHead(filled) ? 0 : Math.ceil(pageLength(page) / 2));
  return filled;
}

/** The uncompressed bytes. Values are short JSON: null, true, a time or a vote. */
export function getPageBytes({ page, viewerValues }: ViewerPage): Buffer {
  const { head, tail } = page;
  const plain = Buffer.concat(['deflated' in head ? inflatePrefix(head) : head, tail]);
  return viewerValues.length === 0 ? plain : replaceSlots(plain, viewerValues, 0);
}

/** The compressed bytes. Undefined if compression is not worth it. */
export function getGzippedPageBytes(filled: ViewerPage): Buffer | undefined {
  const { page, viewerValues } = filled;
  if (pageLength(page) < minCompressBytes) return undefined;
  if (!hasSharedHead(filled)) return (filled.gzipped ??= gzipBytes(getPageBytes(filled)));
  const { head, tail } = page;
  const deflatedHead = 'deflated' in head ? head : deflatePrefix(head);
  return gzipWithPrefix(
    deflatedHead,
    viewerValues.length === 0 ? tail : replaceSlots(tail, viewerValues, deflatedHead.length),
  );
}

/** Whether everything but the end equals the shared page. */
function hasSharedHead({ page, viewerValues }: Pick<ViewerPage, 'page' | 'viewerValues'>): boolean {
  return (viewerValues[0]?.offset ?? Infinity) >= page.head.length;
}

const pageLength = ({ head, tail }: Pick<CachedPage, 'head' | 'tail'>) => head.length + tail.length;

/**
 * Replaces the values of slots.
 * @param from the position of `bytes` on the page
 */
function replaceSlots(bytes: Buffer, own: ViewerPage['viewerValues'], from: number): Buffer {
  const whole = Buffer.allocUnsafe(
    own.reduce((sum, { value, defaultValue }) => sum + value.length - defaultValue.length, bytes.length),
  );
  let [read, written] = [0, 0];
  for (const { offset, defaultValue, value } of own) {
    written += bytes.copy(whole, written, read, offset - from);
    written += whole.write(value, written, 'latin1');
    read = offset - from + defaultValue.length;
  }
  bytes.copy(whole, written, read);
  return whole;
}

/** In JSON, `"key":` cannot occur inside a string, because a quotation mark there is escaped. */
function findSlots(json: string, own: readonly string[]): ViewerSlot[] {
  const slots: ViewerSlot[] = [];
  let offset = 0;
  let from = 0;
  for (const match of json.matchAll(new RegExp(`"(?:${own.join('|')})":(null|false)`, 'g'))) {
    const [found] = match;
    const defaultValue = found.endsWith('null') ? 'null' : 'false';
    const start = match.index + found.length - defaultValue.length;
    offset += Buffer.byteLength(json.slice(from, start));
    from = start;
    slots.push({ offset, defaultValue });
  }
  return slots;
}

/** Finds the number after a key that occurs once on the page. */
function findCounter(json: string, { key }: PageCounter): { at: number; value: number } {
  const found = new RegExp(`"${key}":(\\d+)`).exec(json);
  if (found === null) throw new Error(`The page has no key ${key}`);
  const [whole, value = ''] = found;
  return {
    at: Buffer.byteLength(json.slice(0, found.index + whole.length - value.length)),
    value: Number(value),
  };
}

/** What makes the viewer's values of a page stale. */
export type ViewerTopics = { topics: readonly Topic[]; isStaleBy: CacheEntry['isStaleBy'] };
