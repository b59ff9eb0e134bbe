import { hash } from 'node:crypto';
import type { StreamedEvent } from '#server/platform/events.ts';
import type { Topic } from '#shared/events.ts';
import { alone, type Beginning, deflateBeginning, gzip, gzipFrom, inflateBeginning } from './gzip.ts';
import type { Keepable } from './keep.ts';

/**
 * A page as JSON: the same for every member but for its slots, each of which holds the value of somebody to whom nothing
 * on the page is their own, until it is filled.
 */
export type Page = Keepable & {
  key: string;
  /** The same object on all that a page becomes while its counter grows. */
  identity: object;
  /** What comes before the counter, or else before the last slot, if that is near the end; compressed or not. */
  head: Buffer | Beginning;
  headTag: string;
  end: Buffer;
  slots: readonly Slot[];
  counter: (Counter & { at: number; value: number }) | undefined;
  /** Of what the slots hold the viewer's own values, as the kind of page knows it. */
  ids: readonly number[];
  /** Of its bytes as they are for nobody. */
  tag: string;
  /** For whoever has nothing of their own on it, once somebody has asked. */
  forNobody: FilledPage | undefined;
  /** Keys of the filled pages that are kept with this one, and go with it; most have none. */
  filled: Set<string> | undefined;
};

/** A number on the page, behind all slots but the last, that changes often and only ever grows. */
export type Counter = {
  key: string;
  /** What it is after news; undefined where they do not tell of it. */
  after: (news: StreamedEvent) => number | undefined;
};

/** What a kind of page has: the keys of values that are the viewer's own, and of its counter. */
export type PageKind = { own: readonly string[]; counter?: Counter | undefined };

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

export function toPage(key: string, kind: PageKind, parts: PageParts): Page {
  const { ids, topics, isStaleBy, json } = parts;
  const whole = Buffer.from(json);
  const slots = kind.own.length === 0 ? [] : slotsIn(json, kind.own);
  const counter = kind.counter && { ...kind.counter, ...counterIn(json, kind.counter) };
  if (counter !== undefined && counter.at < (slots.at(-2)?.at ?? 0))
    throw new Error(`the counter of the page ${key} stands before a slot that is not the last`);
  const moving = counter?.at ?? slots.at(-1)?.at ?? -Infinity;
  const cut = whole.length - moving > longestEnd ? whole.length : moving;
  const [head, end] = [whole.subarray(0, cut), whole.subarray(cut)];
  const headTag = hash('sha1', head, 'base64url');
  return {
    key,
    identity: {},
    head,
    headTag,
    end,
    slots,
    counter: counter !== undefined && counter.at >= cut ? counter : undefined,
    ids,
    tag: tagOf(headTag, end),
    topics,
    isStaleBy,
    size: whole.length + slots.length * slotSize + topics.length * topicSize + entrySize,
    forNobody: undefined,
    filled: undefined,
  };
}

const tagOf = (headTag: string, end: Buffer) =>
  hash('sha1', `${headTag} ${end.toString('latin1')}`, 'base64url');

/** The same page, fit to be kept: most who read it take it compressed, which is a third of the memory. */
export function packed(page: Page): Page {
  const { head } = page;
  if ('deflated' in head) return page;
  const kept = lengthOf(page) < worthCompressing ? alone(head) : deflateBeginning(head);
  const size = 'deflated' in kept ? kept.deflated.length : kept.length;
  return { ...page, head: kept, end: alone(page.end), size: page.size - head.length + size };
}

/** The page after news that it goes stale by; undefined where it has to be read anew. */
export function revised(page: Page, news: StreamedEvent): Page | undefined {
  const { counter, head, headTag, slots } = page;
  const value = counter?.after(news);
  if (counter === undefined || value === undefined) return undefined;
  // Those of two nodes may come in the other order.
  if (value <= counter.value) return page;
  const [from, longer] = [counter.at - head.length, digits(value) - digits(counter.value)];
  const end = alone(
    Buffer.concat([
      page.end.subarray(0, from),
      Buffer.from(String(value)),
      page.end.subarray(from + digits(counter.value)),
    ]),
  );
  return {
    ...page,
    end,
    slots: slots.map((slot) => (slot.at > counter.at ? { ...slot, at: slot.at + longer } : slot)),
    counter: { ...counter, value },
    tag: tagOf(headTag, end),
    forNobody: undefined,
    filled: undefined,
  };
}

const digits = (value: number) => String(value).length;

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
  const { head, end } = page;
  const plain = Buffer.concat(['deflated' in head ? inflateBeginning(head) : head, end]);
  return own.length === 0 ? plain : replaced(plain, own, 0);
}

/** The same compressed; undefined where that is not worth it. */
export function gzippedBytesOf(filled: FilledPage): Buffer | undefined {
  const { page, own } = filled;
  if (lengthOf(page) < worthCompressing) return undefined;
  if (!isLikeOthers(filled)) return (filled.gzipped ??= gzip(bytesOf(filled)));
  const { head, end } = page;
  const beginning = 'deflated' in head ? head : deflateBeginning(head);
  return gzipFrom(beginning, own.length === 0 ? end : replaced(end, own, beginning.length));
}

/** Whether all but the end is as for everybody. */
function isLikeOthers({ page, own }: Pick<FilledPage, 'page' | 'own'>): boolean {
  return (own[0]?.at ?? Infinity) >= page.head.length;
}

const lengthOf = ({ head, end }: Pick<Page, 'head' | 'end'>) => head.length + end.length;

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

/** Where a number of one digit or more stands, of a key that the page has once. */
function counterIn(json: string, { key }: Counter): { at: number; value: number } {
  const found = new RegExp(`"${key}":(\\d+)`).exec(json);
  if (found === null) throw new Error(`there is no ${key} on the page`);
  const [whole, value = ''] = found;
  return {
    at: Buffer.byteLength(json.slice(0, found.index + whole.length - value.length)),
    value: Number(value),
  };
}

/** What news of a member's own doing makes of theirs. */
export type OwnTopics = { topics: readonly Topic[]; isStaleBy: Keepable['isStaleBy'] };
