import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TopicEvent } from './events.ts';
import {
  getPageBytes,
  fillPage,
  fillForOthers,
  getGzippedPageBytes,
  compressPage,
  applyCounterEvent,
  createCachedPage,
  fillLastSlot,
} from './response-cache-page.ts';
import { deflatePrefix, inflatePrefix, maxInflatedBytes } from './response-cache-gzip.ts';
import { type Participant, PageParticipants } from './response-cache-participants.ts';

const kind = {
  viewerKeys: ['vote', 'bookmarked', 'at'],
  counter: {
    key: 'views',
    valueAfter: ({ event }: TopicEvent) => (event.kind === 'viewed' ? event.views : undefined),
  },
};

/** A page with the values of one viewer, or the defaults. */
type Shown = { text: string; posts: readonly { vote: string | null; bookmarked: boolean }[]; views: number };
const jsonOf = ({ text, posts, views }: Shown, at: string | null) =>
  JSON.stringify({ text, posts, views, at });
const withoutViewer = (shown: Shown): Shown => ({
  ...shown,
  posts: shown.posts.map(() => ({ vote: null, bookmarked: false })),
});

const viewed = (views: number): TopicEvent => ({ topic: 'question:1', event: { kind: 'viewed', views } });
const stale = { topics: [], isStaleBy: () => true };

test('serves the same bytes, compressed or not, as a page rendered for the viewer after all views', () => {
  const shown = fc.record({
    // Texts that look like slots or counters, and some that are long enough to compress.
    text: fc.oneof(fc.constantFrom('"views":7', '\\"at":null', '"vote":null, "kept":false'), fc.string()),
    repeat: fc.integer({ min: 1, max: 200 }),
    posts: fc.array(fc.record({ vote: fc.constantFrom(null, 'up', 'down'), bookmarked: fc.boolean() })),
    views: fc.nat(120),
    at: fc.option(fc.constant('2026-11-22T07:00:00.000Z')),
    later: fc.array(fc.nat(12_000), { maxLength: 4 }),
  });
  fc.assert(
    fc.property(shown, ({ text, repeat, posts, views, at, later }) => {
      const first = { text: text.repeat(repeat), posts, views };
      const read = createCachedPage('page', kind, {
        json: jsonOf(withoutViewer(first), null),
        ids: [],
        ...stale,
      });
      let page = compressPage(read);
      for (const each of later) page = applyCounterEvent(page, viewed(each))!;
      const last = { ...first, views: Math.max(views, ...later) };
      const values = [...posts.flatMap(({ vote, bookmarked }) => [vote, bookmarked]), at];
      const filled = fillPage(page, { values: values.map((value) => JSON.stringify(value)), ...stale });
      const answers = [
        { filled, json: jsonOf(last, at) },
        { filled: fillForOthers(page), json: jsonOf(withoutViewer(last), null) },
        { filled: fillLastSlot(page, '"now"'), json: jsonOf(withoutViewer(last), 'now') },
      ];
      for (const { filled, json } of answers) {
        expect(getPageBytes(filled).toString()).toBe(json);
        const compressed = getGzippedPageBytes(filled);
        expect(compressed === undefined).toBe(Buffer.byteLength(jsonOf(withoutViewer(last), null)) < 1_024);
        expect(compressed === undefined ? json : gunzipSync(compressed).toString()).toBe(json);
      }
      // A page read again has the ETag of the cached one. A different page has a different ETag.
      const anew = createCachedPage('page', kind, {
        json: jsonOf(withoutViewer(last), null),
        ids: [],
        ...stale,
      });
      expect(fillForOthers(anew).etag).toBe(fillForOthers(page).etag);
      expect(new Set(answers.map(({ filled }) => filled.etag)).size).toBe(
        new Set(answers.map(({ json }) => json)).size,
      );
    }),
  );
});

test('becomes stale when anything but the view count changes', () => {
  const page = createCachedPage('page', kind, {
    json: jsonOf({ text: '', posts: [], views: 1 }, null),
    ids: [],
    ...stale,
  });
  expect(applyCounterEvent(page, { topic: 'question:1', event: { kind: 'edited' } })).toBeUndefined();
});

test('looks up the values of participants only', () => {
  const member = fc.record({ memberId: fc.integer({ min: 1, max: 40 }), time: fc.option(fc.nat()) });
  const members = fc.uniqueArray(member, { selector: ({ memberId }) => memberId });
  fc.assert(
    fc.property(members, fc.array(fc.integer({ min: 1, max: 40 })), (read: Participant[], changed) => {
      const regulars = new PageParticipants({});
      const [during, after] = [changed.slice(0, 2), changed.slice(2)];
      for (const id of during) regulars.markChanged(id);
      expect(regulars.find(1)).toBeUndefined();
      regulars.load(read);
      for (const id of after) regulars.markChanged(id);
      for (let id = 1; id <= 40; id++) {
        const own = read.find(({ memberId }) => memberId === id);
        const known = own === undefined ? null : (own.time ?? undefined);
        expect(regulars.find(id)).toBe(changed.includes(id) ? undefined : known);
      }
    }),
  );
  const crowd = new PageParticipants({});
  crowd.load(null);
  expect([crowd.isLoaded, crowd.find(1)]).toEqual([true, undefined]);
});

test('inflates a page once for requests without gzip, and caches 16 MiB of such pages', () => {
  const pages = Array.from({ length: 20 }, (_, place) =>
    deflatePrefix(Buffer.alloc(1_024 * 1_024, `page ${place} `)),
  );
  const [first] = pages;
  const bytes = pages.map(inflatePrefix);
  expect(pages.slice(-16).map(inflatePrefix)).toSatisfy((again: Buffer[]) =>
    again.every((each, place) => each === bytes.slice(-16)[place]),
  );
  expect(16 * 1_024 * 1_024).toBe(maxInflatedBytes);
  expect(inflatePrefix(first!)).not.toBe(bytes[0]);
  expect(inflatePrefix(first!).equals(bytes[0]!)).toBe(true);
});
