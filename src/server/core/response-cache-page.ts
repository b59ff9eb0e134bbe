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
 * A page as JSON: the same for every member but for its slots, each of which holds the value of somebody to whom nothing
 * on the page is their own, until it is filled.
 */
export type CachedPage = CacheEntry & {
  key: string;
  /** The same object on all that a page becomes while its counter grows. */
  identity: object;
  /** What comes before the counter, or else before the last slot, if that is near the end; compressed or not. */
  head: Buffer | DeflatedPrefix;
  headTag: string;
  tail: Buffer;
  viewerSlots: readonly ViewerSlot[];
  counter: (PageCounter & { at: number; value: number }) | undefined;
  /** Of what the slots hold the viewer's own values, as the kind of page knows it. */
  ids: readonly number[];
  /** Of its bytes as they are for nobody. */
  etag: string;
  /** For whoever has nothing of their own on it, once somebody has asked. */
  withoutViewer: ViewerPage | undefined;
  /** Keys of the filled pages that are kept with this one, and go with it; most have none. */
  viewerPageKeys: Set<string> | undefined;
};

/** A number on the page, behind all slots but the last, that changes often and only ever grows. */
export type PageCounter = {
  key: string;
  /** What it is after news; undefined where they do not tell of it. */
  valueAfter: (news: TopicEvent) => number | undefined;
};

/** What a kind of page has: the keys of values that are the viewer's own, and of its counter. */
export type PageKind = { viewerKeys: readonly string[]; counter?: PageCounter | undefined };

/** Where a value stands in the bytes, and what stands there for nobody. */
type ViewerSlot = { offset: number; defaultValue: 'null' | 'false' };

/** A page for one viewer, with what fills the slots that do not stand as they are. */
export type ViewerPage = CacheEntry & {
  page: CachedPage;
  viewerValues: readonly (ViewerSlot & { value: string })[];
  /** Of its bytes: the same for the same. */
  etag: string;
  gzipped: Buffer | undefined;
};

/** What a kind of page is read into. */
export type PageContent = Pick<CacheEntry, 'topics' | 'isStaleBy'> & {
  /** With the slots' values as for somebody to whom nothing on it is their own. */
  json: string;
  ids: readonly number[];
};

/** Bytes that an entry takes beside its own: keys, indexes, objects; and those that a topic takes, or a slot. */
const entryBytes = 600;
const topicBytes = 150;
const slotBytes = 60;

/** What is shorter is sent as it is. */
const minCompressBytes = 1_024;

/** What comes after the last slot is sent as it is, up to so many bytes. */
const maxTailBytes = 1_024;

export function createCachedPage(key: string, kind: PageKind, parts: PageContent): CachedPage {
  const { ids, topics, isStaleBy, json } = parts;
  const whole = Buffer.from(json);
  const viewerSlots = kind.viewerKeys.length === 0 ? [] : findSlots(json, kind.viewerKeys);
  const counter = kind.counter && { ...kind.counter, ...findCounter(json, kind.counter) };
  if (counter !== undefined && counter.at < (viewerSlots.at(-2)?.offset ?? 0))
    throw new Error(`the counter of the page ${key} stands before a slot that is not the last`);
  const moving = counter?.at ?? viewerSlots.at(-1)?.offset ?? -Infinity;
  const cut = whole.length - moving > maxTailBytes ? whole.length : moving;
  const [head, tail] = [whole.subarray(0, cut), whole.subarray(cut)];
  const headTag = hash('sha1', head, 'base64url');
  return {
    key,
    identity: {},
    head,
    headTag,
    tail,
    viewerSlots,
    counter: counter !== undefined && counter.at >= cut ? counter : undefined,
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

/** The same page, fit to be kept: most who read it take it compressed, which is a third of the memory. */
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

/** The page after news that it goes stale by; undefined where it has to be read anew. */
export function applyCounterEvent(page: CachedPage, news: TopicEvent): CachedPage | undefined {
  const { counter, head, headTag, viewerSlots } = page;
  const value = counter?.valueAfter(news);
  if (counter === undefined || value === undefined) return undefined;
  // Those of two nodes may come in the other order.
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

/** The page as it is for somebody to whom nothing on it is their own. */
export function fillForOthers(page: CachedPage): ViewerPage {
  return (page.withoutViewer ??= fillSlots(page, [], { topics: [], isStaleBy: () => false }));
}

/** The page for somebody to whom only the value of the last slot is their own. @param value as JSON. */
export function fillLastSlot(page: CachedPage, value: string): ViewerPage {
  const last = page.viewerSlots.at(-1);
  if (last === undefined) throw new Error(`the page ${page.key} has no slot`);
  return fillSlots(page, [{ ...last, value }], { topics: [], isStaleBy: () => false });
}

/** @param viewer JSON for each slot, in their order, and what it goes stale by. */
export function fillPage(
  page: CachedPage,
  viewer: Pick<CacheEntry, 'topics' | 'isStaleBy'> & { values: readonly string[] },
): ViewerPage {
  const { viewerSlots } = page;
  if (viewer.values.length !== viewerSlots.length)
    throw new Error(
      `the page ${page.key} has ${viewerSlots.length} slots for ${viewer.values.length} values`,
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
  // Compressed bytes of its own, where it cannot share the page's.
  filled.bytes += own.length * slotBytes + (hasSharedHead(filled) ? 0 : Math.ceil(pageLength(page) / 2));
  return filled;
}

/** Values are short and plain: null, true, a time, a direction. */
export function getPageBytes({ page, viewerValues }: ViewerPage): Buffer {
  const { head, tail } = page;
  const plain = Buffer.concat(['deflated' in head ? inflatePrefix(head) : head, tail]);
  return viewerValues.length === 0 ? plain : replaceSlots(plain, viewerValues, 0);
}

/** The same compressed; undefined where that is not worth it. */
export function getGzippedPageBytes(filled: ViewerPage): Buffer | undefined {
  const { page, viewerValues } = filled;
  if (pageLength(page) < minCompressBytes) return undefined;
  if (!hasSharedHead(filled)) return (filled.gzipped ??= gzipBytes(getPageBytes(filled)));
  const { head, tail } = page;
  const beginning = 'deflated' in head ? head : deflatePrefix(head);
  return gzipWithPrefix(
    beginning,
    viewerValues.length === 0 ? tail : replaceSlots(tail, viewerValues, beginning.length),
  );
}

/** Whether all but the end is as for everybody. */
function hasSharedHead({ page, viewerValues }: Pick<ViewerPage, 'page' | 'viewerValues'>): boolean {
  return (viewerValues[0]?.offset ?? Infinity) >= page.head.length;
}

const pageLength = ({ head, tail }: Pick<CachedPage, 'head' | 'tail'>) => head.length + tail.length;

/** Bytes with the viewer's own values in them. @param from where the bytes begin on the page. */
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

/** In JSON no text can hold `"key":`, since a quotation mark in a text has a backslash before it. */
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

/** Where a number of one digit or more stands, of a key that the page has once. */
function findCounter(json: string, { key }: PageCounter): { at: number; value: number } {
  const found = new RegExp(`"${key}":(\\d+)`).exec(json);
  if (found === null) throw new Error(`there is no ${key} on the page`);
  const [whole, value = ''] = found;
  return {
    at: Buffer.byteLength(json.slice(0, found.index + whole.length - value.length)),
    value: Number(value),
  };
}

/** What news of a member's own doing makes of theirs. */
export type ViewerTopics = { topics: readonly Topic[]; isStaleBy: CacheEntry['isStaleBy'] };
