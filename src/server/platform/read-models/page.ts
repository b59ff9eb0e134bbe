import { hash } from 'node:crypto';
import type { Topic } from '#shared/events.ts';
import { alone, type Beginning, deflateBeginning, gzip, gzipFrom, inflateBeginning } from './gzip.ts';
import type { Keepable } from './keep.ts';

/**
 * A page as JSON: the same for every member but for its slots, each of which holds the value of somebody to whom nothing
 * on the page is their own, until it is filled.
 */
export type Page = Keepable & {
  key: string;
  bytes: PageBytes;
  slots: readonly Slot[];
  /** Of what the slots hold the viewer's own values, as the kind of page knows it. */
  ids: readonly number[];
  /** Of its bytes as they are for nobody. */
  tag: string;
  /** For whoever has nothing of their own on it, once somebody has asked. */
  forNobody: FilledPage | undefined;
  /** Keys of the filled pages that are kept with this one, and go with it. */
  filled: Set<string>;
};

/** The whole, or the beginning compressed and what comes from the last slot on. */
type PageBytes = { whole: Buffer } | Packed;
type Packed = { beginning: Beginning; end: Buffer };

/** Where a value stands in the bytes, and what stands there for nobody. */
type Slot = { at: number; plain: 'null' | 'false' };

/** A page for one viewer, with what fills the slots that do not stand as they are. */
export type FilledPage = Keepable & {
  page: Page;
  own: readonly (Slot & { value: string })[];
  /** Of its bytes: the same for the same. */
  tag: string;
  gzipped: Buffer | undefined;
};

/** What a kind of page is read into. */
export type PageParts = Pick<Keepable, 'topics' | 'isStaleBy'> & {
  /** With the slots' values as for somebody to whom nothing on it is their own. */
  json: string;
  ids: readonly number[];
};

/** Bytes that an entry takes beside its own: keys, indexes, objects; and those that a topic takes, or a slot. */
const entrySize = 600;
const topicSize = 150;
const slotSize = 60;

/** What is shorter is sent as it is. */
const worthCompressing = 1_024;

/** What comes after the last slot is sent as it is, up to so many bytes. */
const longestEnd = 1_024;

/** @param own the keys of values that are the viewer's own. */
export function toPage(key: string, own: readonly string[], parts: PageParts): Page {
  const { ids, topics, isStaleBy } = parts;
  const whole = Buffer.from(parts.json);
  const slots = own.length === 0 ? [] : slotsIn(parts.json, own);
  const tag = hash('sha1', whole, 'base64url');
  return {
    key,
    bytes: { whole },
    slots,
    ids,
    tag,
    topics,
    isStaleBy,
    size: whole.length + slots.length * slotSize + topics.length * topicSize + entrySize,
    forNobody: undefined,
    filled: new Set(),
  };
}

/** The same page, fit to be kept: most who read it take it compressed, which is a third of the memory. */
export function packed(page: Page): Page {
  const { bytes } = page;
  if (!('whole' in bytes)) return page;
  const { length } = bytes.whole;
  const kept = length < worthCompressing ? { whole: alone(bytes.whole) } : pack(bytes.whole, page.slots);
  const size = 'whole' in kept ? length : kept.beginning.deflated.length + kept.end.length;
  return { ...page, bytes: kept, size: page.size - length + size };
}

function pack(whole: Buffer, slots: readonly Slot[]): Packed {
  const last = slots.at(-1);
  const cut = isNearEnd(last, whole.length) ? last.at : whole.length;
  return { beginning: deflateBeginning(whole.subarray(0, cut)), end: alone(whole.subarray(cut)) };
}

/** The page as it is for somebody to whom nothing on it is their own. */
export function forNobody(page: Page): FilledPage {
  return (page.forNobody ??= withOwn(page, [], { topics: [], isStaleBy: () => false }));
}

/** The page for somebody to whom only the value of the last slot is their own. @param value as JSON. */
export function withLast(page: Page, value: string): FilledPage {
  const last = page.slots.at(-1);
  if (last === undefined) throw new Error(`the page ${page.key} has no slot`);
  return withOwn(page, [{ ...last, value }], { topics: [], isStaleBy: () => false });
}

/** @param viewer JSON for each slot, in their order, and what it goes stale by. */
export function fill(
  page: Page,
  viewer: Pick<Keepable, 'topics' | 'isStaleBy'> & { values: readonly string[] },
): FilledPage {
  const { slots } = page;
  if (viewer.values.length !== slots.length)
    throw new Error(`the page ${page.key} has ${slots.length} slots for ${viewer.values.length} values`);
  const own = slots
    .map((slot, index) => ({ ...slot, value: viewer.values[index] ?? '' }))
    .filter(({ plain, value }) => plain !== value);
  return withOwn(page, own, viewer);
}

function withOwn(
  page: Page,
  own: FilledPage['own'],
  { topics, isStaleBy }: Pick<Keepable, 'topics' | 'isStaleBy'>,
): FilledPage {
  const values = own.map(({ at, value }) => `${at} ${value}`).join();
  const tag = own.length === 0 ? page.tag : hash('sha1', `${page.tag} ${values}`, 'base64url');
  const filled = { page, own, tag, gzipped: undefined, topics, isStaleBy, size: entrySize };
  // Compressed bytes of its own, where it cannot share the page's.
  filled.size += own.length * slotSize + (isLikeOthers(filled) ? 0 : Math.ceil(lengthOf(page) / 2));
  return filled;
}

/** Values are short and plain: null, true, a time, a direction. */
export function bytesOf({ page, own }: FilledPage): Buffer {
  const { bytes } = page;
  const plain =
    'whole' in bytes ? bytes.whole : Buffer.concat([inflateBeginning(bytes.beginning), bytes.end]);
  return own.length === 0 ? plain : replaced(plain, own, 0);
}

/** The same compressed; undefined where that is not worth it. */
export function gzippedBytesOf(filled: FilledPage): Buffer | undefined {
  const { page, own } = filled;
  if (lengthOf(page) < worthCompressing) return undefined;
  if (!isLikeOthers(filled)) return (filled.gzipped ??= gzip(bytesOf(filled)));
  if ('whole' in page.bytes) page.bytes = pack(page.bytes.whole, page.slots);
  const { beginning, end } = page.bytes;
  return gzipFrom(beginning, own.length === 0 ? end : replaced(end, own, beginning.length));
}

/** Whether only the last slot has a value of its own, if any: all that comes before is as for everybody. */
function isLikeOthers({ page, own }: Pick<FilledPage, 'page' | 'own'>): boolean {
  const last = page.slots.at(-1);
  return own.length === 0 || (own.length === 1 && own[0]?.at === last?.at && isNearEnd(last, lengthOf(page)));
}

const isNearEnd = (last: Slot | undefined, length: number): last is Slot =>
  last !== undefined && length - last.at <= longestEnd;

const lengthOf = ({ bytes }: Page) =>
  'whole' in bytes ? bytes.whole.length : bytes.beginning.length + bytes.end.length;

/** Bytes with the viewer's own values in them. @param from where the bytes begin on the page. */
function replaced(bytes: Buffer, own: FilledPage['own'], from: number): Buffer {
  const whole = Buffer.allocUnsafe(
    own.reduce((sum, { value, plain }) => sum + value.length - plain.length, bytes.length),
  );
  let [read, written] = [0, 0];
  for (const { at, plain, value } of own) {
    written += bytes.copy(whole, written, read, at - from);
    written += whole.write(value, written, 'latin1');
    read = at - from + plain.length;
  }
  bytes.copy(whole, written, read);
  return whole;
}

/** In JSON no text can hold `"key":`, since a quotation mark in a text has a backslash before it. */
function slotsIn(json: string, own: readonly string[]): Slot[] {
  const slots: Slot[] = [];
  let at = 0;
  let from = 0;
  for (const match of json.matchAll(new RegExp(`"(?:${own.join('|')})":(null|false)`, 'g'))) {
    const [found] = match;
    const plain = found.endsWith('null') ? 'null' : 'false';
    const start = match.index + found.length - plain.length;
    at += Buffer.byteLength(json.slice(from, start));
    from = start;
    slots.push({ at, plain });
  }
  return slots;
}

/** What news of a member's own doing makes of theirs. */
export type OwnTopics = { topics: readonly Topic[]; isStaleBy: Keepable['isStaleBy'] };
