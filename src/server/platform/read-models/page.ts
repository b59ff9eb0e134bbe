import { hash } from 'node:crypto';
import type { Topic } from '#shared/events.ts';
import { alone, type Beginning, beginningOf, gzip, gzipFrom } from './gzip.ts';
import type { Keepable } from './keep.ts';

/**
 * A page as JSON: the same for every member but for its slots, each of which holds the value of somebody to whom nothing
 * on the page is their own, until it is filled.
 */
export type Page = Keepable & {
  key: string;
  json: Buffer;
  slots: readonly Slot[];
  /** Of what the slots hold the viewer's own values, as the kind of page knows it. */
  ids: readonly number[];
  /** What comes before the last slot, compressed, once somebody has asked for it. */
  beginning: Beginning | undefined;
  /** Keys of the filled pages that are kept with this one, and go with it. */
  filled: Set<string>;
};

/** Where a value stands in the bytes. */
type Slot = { at: number; length: number };

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
  const json = alone(Buffer.from(parts.json));
  const slots = own.length === 0 ? [] : slotsIn(parts.json, own);
  // Half as much again for what is compressed.
  const size = Math.ceil(json.length * 1.5) + slots.length * slotSize + topics.length * topicSize + entrySize;
  return { key, json, slots, ids, topics, isStaleBy, size, beginning: undefined, filled: new Set() };
}

/** @param viewer JSON for each slot, in their order, and what it goes stale by. */
export function fill(
  page: Page,
  viewer: Pick<Keepable, 'topics' | 'isStaleBy'> & { values: readonly string[] },
): FilledPage {
  const { slots, json } = page;
  if (viewer.values.length !== slots.length)
    throw new Error(`the page ${page.key} has ${slots.length} slots for ${viewer.values.length} values`);
  const own = slots
    .map((slot, index) => ({ ...slot, value: viewer.values[index] ?? '' }))
    .filter(({ at, length, value }) => json.toString('latin1', at, at + length) !== value);
  const { topics, isStaleBy } = viewer;
  const filled: FilledPage = { page, own, tag: '', gzipped: undefined, topics, isStaleBy, size: entrySize };
  // Compressed bytes of its own, where it cannot share the page's.
  filled.size += own.length * slotSize + (isLikeOthers(filled) ? 0 : Math.ceil(json.length / 2));
  filled.tag = hash('sha1', bytesOf(filled), 'base64url');
  return filled;
}

/** Values are short and plain: null, true, a time, a direction. */
export function bytesOf({ page: { json }, own }: FilledPage): Buffer {
  if (own.length === 0) return json;
  const whole = Buffer.allocUnsafe(
    own.reduce((sum, { value, length }) => sum + value.length - length, json.length),
  );
  let [from, to] = [0, 0];
  for (const { at, length, value } of own) {
    to += json.copy(whole, to, from, at);
    to += whole.write(value, to, 'latin1');
    from = at + length;
  }
  json.copy(whole, to, from);
  return whole;
}

/** The same compressed; undefined where that is not worth it. */
export function gzippedBytesOf(filled: FilledPage): Buffer | undefined {
  const { page, own } = filled;
  if (page.json.length < worthCompressing) return undefined;
  const last = page.slots.at(-1);
  if (last === undefined || page.json.length - last.at > longestEnd || !isLikeOthers(filled))
    return (filled.gzipped ??= gzip(bytesOf(filled)));
  page.beginning ??= beginningOf(page.json.subarray(0, last.at));
  const [ending] = own;
  if (ending === undefined) return gzipFrom(page.beginning, page.json.subarray(last.at));
  const rest = page.json.subarray(last.at + last.length);
  return gzipFrom(page.beginning, Buffer.concat([Buffer.from(ending.value), rest]));
}

/** Whether only the last slot has a value of its own, if any: all that comes before is as for everybody. */
function isLikeOthers({ page, own }: FilledPage): boolean {
  return own.length === 0 || (own.length === 1 && own[0]?.at === page.slots.at(-1)?.at);
}

/** In JSON no text can hold `"key":`, since a quotation mark in a text has a backslash before it. */
function slotsIn(json: string, own: readonly string[]): Slot[] {
  const slots: Slot[] = [];
  let at = 0;
  let from = 0;
  for (const match of json.matchAll(new RegExp(`"(?:${own.join('|')})":(null|false)`, 'g'))) {
    const [whole, value = ''] = match;
    const start = match.index + whole.length - value.length;
    at += Buffer.byteLength(json.slice(from, start));
    from = start;
    slots.push({ at, length: value.length });
  }
  return slots;
}

/** What news of a member's own doing makes of theirs. */
export type OwnTopics = { topics: readonly Topic[]; isStaleBy: Keepable['isStaleBy'] };
