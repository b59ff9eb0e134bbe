import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StreamedEvent } from '#server/platform/events.ts';
import { bytesOf, fill, forNobody, gzippedBytesOf, packed, revised, toPage, withLast } from './page.ts';
import { deflateBeginning, inflateBeginning, mostInflated } from './gzip.ts';
import { type Regular, Regulars } from './regulars.ts';

const kind = {
  own: ['vote', 'kept', 'at'],
  counter: {
    key: 'views',
    after: ({ event }: StreamedEvent) => (event.kind === 'viewed' ? event.views : undefined),
  },
};

/** A page as its kind writes it, with somebody's own values or nobody's. */
type Shown = { text: string; posts: readonly { vote: string | null; kept: boolean }[]; views: number };
const jsonOf = ({ text, posts, views }: Shown, at: string | null) =>
  JSON.stringify({ text, posts, views, at });
const nobody = (shown: Shown): Shown => ({
  ...shown,
  posts: shown.posts.map(() => ({ vote: null, kept: false })),
});

const viewed = (views: number): StreamedEvent => ({ topic: 'question:1', event: { kind: 'viewed', views } });
const stale = { topics: [], isStaleBy: () => true };

test('a page is the same bytes, whole or compressed, as if it had been written for its viewer after all its views', () => {
  const shown = fc.record({
    // Texts that look like what is looked for, and some that are worth compressing.
    text: fc.oneof(fc.constantFrom('"views":7', '\\"at":null', '"vote":null, "kept":false'), fc.string()),
    repeat: fc.integer({ min: 1, max: 200 }),
    posts: fc.array(fc.record({ vote: fc.constantFrom(null, 'up', 'down'), kept: fc.boolean() })),
    views: fc.nat(120),
    at: fc.option(fc.constant('2026-11-22T07:00:00.000Z')),
    later: fc.array(fc.nat(12_000), { maxLength: 4 }),
  });
  fc.assert(
    fc.property(shown, ({ text, repeat, posts, views, at, later }) => {
      const first = { text: text.repeat(repeat), posts, views };
      const read = toPage('page', kind, { json: jsonOf(nobody(first), null), ids: [], ...stale });
      let page = packed(read);
      for (const each of later) page = revised(page, viewed(each))!;
      const last = { ...first, views: Math.max(views, ...later) };
      const values = [...posts.flatMap(({ vote, kept }) => [vote, kept]), at];
      const filled = fill(page, { values: values.map((value) => JSON.stringify(value)), ...stale });
      const answers = [
        { filled, json: jsonOf(last, at) },
        { filled: forNobody(page), json: jsonOf(nobody(last), null) },
        { filled: withLast(page, '"now"'), json: jsonOf(nobody(last), 'now') },
      ];
      for (const { filled, json } of answers) {
        expect(bytesOf(filled).toString()).toBe(json);
        const compressed = gzippedBytesOf(filled);
        expect(compressed === undefined).toBe(Buffer.byteLength(jsonOf(nobody(last), null)) < 1_024);
        expect(compressed === undefined ? json : gunzipSync(compressed).toString()).toBe(json);
      }
      // What is read anew has the tag of what was kept; what differs has another.
      const anew = toPage('page', kind, { json: jsonOf(nobody(last), null), ids: [], ...stale });
      expect(forNobody(anew).tag).toBe(forNobody(page).tag);
      expect(new Set(answers.map(({ filled }) => filled.tag)).size).toBe(
        new Set(answers.map(({ json }) => json)).size,
      );
    }),
  );
});

test('what a page shows beside its views makes it stale', () => {
  const page = toPage('page', kind, {
    json: jsonOf({ text: '', posts: [], views: 1 }, null),
    ids: [],
    ...stale,
  });
  expect(revised(page, { topic: 'question:1', event: { kind: 'edited' } })).toBeUndefined();
});

test('whoever has something of their own on a page is known, and who does something there is asked for', () => {
  const member = fc.record({ memberId: fc.integer({ min: 1, max: 40 }), time: fc.option(fc.nat()) });
  const members = fc.uniqueArray(member, { selector: ({ memberId }) => memberId });
  fc.assert(
    fc.property(members, fc.array(fc.integer({ min: 1, max: 40 })), (read: Regular[], changed) => {
      const regulars = new Regulars({});
      const [during, after] = [changed.slice(0, 2), changed.slice(2)];
      for (const id of during) regulars.changed(id);
      expect(regulars.find(1)).toBeUndefined();
      regulars.take(read);
      for (const id of after) regulars.changed(id);
      for (let id = 1; id <= 40; id++) {
        const own = read.find(({ memberId }) => memberId === id);
        const known = own === undefined ? null : (own.time ?? undefined);
        expect(regulars.find(id)).toBe(changed.includes(id) ? undefined : known);
      }
    }),
  );
  const crowd = new Regulars({});
  crowd.take(null);
  expect([crowd.isRead, crowd.find(1)]).toEqual([true, undefined]);
});

test('a page is inflated once for requests that accept no gzip, and 16 MiB of such pages are kept', () => {
  const pages = Array.from({ length: 20 }, (_, place) =>
    deflateBeginning(Buffer.alloc(1_024 * 1_024, `page ${place} `)),
  );
  const [first] = pages;
  const bytes = pages.map(inflateBeginning);
  expect(pages.slice(-16).map(inflateBeginning)).toSatisfy((again: Buffer[]) =>
    again.every((each, place) => each === bytes.slice(-16)[place]),
  );
  expect(16 * 1_024 * 1_024).toBe(mostInflated);
  expect(inflateBeginning(first!)).not.toBe(bytes[0]);
  expect(inflateBeginning(first!).equals(bytes[0]!)).toBe(true);
});
