import { describe, expect, test } from 'vitest';
import type { DraftState } from '#shared/posts/drafts.ts';
import { decideDraftMerge } from './drafts-merge.ts';
import { type DraftRecord, parseDraftRecord } from './drafts-storage.ts';

const now = Date.UTC(2026, 0, 1);
const day = 24 * 60 * 60 * 1000;
const here = { browser: 'this-browser', at: now };

const record = (content: string | null, more: Partial<DraftRecord> = {}): DraftRecord => ({
  fields: content === null ? null : { content, key: 'key-of-post' },
  baseVersion: 7,
  dirty: false,
  wasSent: false,
  step: 100,
  postedKey: null,
  changedAt: now,
  ...more,
});
const server = (content: string | null, more: Partial<DraftState> = {}): DraftState => ({
  target: 'ask',
  version: 8,
  key: 'key-of-post',
  fields: content === null ? null : { content },
  ended: content === null ? 'discarded' : null,
  clientId: 'another-browser',
  sequence: 5,
  updatedAt: null,
  ...more,
});
const nothing = server(null, { version: null, key: null, ended: null, clientId: null, sequence: null });

describe('a draft of the server meets', () => {
  test.each<[string, DraftRecord | null, DraftState, string]>([
    ['an empty form: it comes in', null, server('Theirs'), 'behind'],
    [
      'a form that nothing was typed into since: the form follows',
      record('Mine'),
      server('Theirs'),
      'behind',
    ],
    [
      'words it has never seen: the member chooses',
      record('Mine', { dirty: true }),
      server('Theirs'),
      'choice',
    ],
    [
      'words that go on from it',
      record('Mine', { baseVersion: 8, dirty: true }),
      server('Theirs'),
      'continues',
    ],
    [
      'a form that knows a later one: the answer was overtaken',
      record('Mine', { baseVersion: 9 }),
      server('Old'),
      'nothing',
    ],
    ['the same words: nobody has to choose', record('Mine', { dirty: true }), server('Mine'), 'same'],
    [
      'words that go on from what this browser had sent, though the answer got lost',
      record('Mine, longer', { dirty: true }),
      server('Mine', { clientId: 'this-browser', sequence: 99 }),
      'continues',
    ],
    [
      'words older than what this browser has sent since, as after the storage was restored',
      record('Mine', { dirty: true }),
      server('Mine, longer', { clientId: 'this-browser', sequence: 101 }),
      'choice',
    ],
    [
      'a form that was emptied without a connection, after another device wrote',
      record(null, { dirty: true }),
      server('Theirs'),
      'behind',
    ],
    [
      'a form that was emptied: it is to go',
      record(null, { baseVersion: 8, dirty: true }),
      server('Mine'),
      'continues',
    ],
    ['a form whose post waits', record(null, { postedKey: 'key-of-post' }), server('Mine'), 'waits'],
    [
      'what is typed beside a post that waits',
      record('Another', { dirty: true, postedKey: 'key-of-post' }),
      server('Mine'),
      'continues',
    ],
    [
      'a form whose post waits, and another device has begun another',
      record(null, { postedKey: 'key-of-post' }),
      server('Theirs', { key: 'key-of-another' }),
      'behind',
    ],
  ])('%s', (_, mine, theirs, found) => {
    expect(decideDraftMerge(mine, theirs, here)).toBe(found);
  });
});

describe('a draft that was posted or thrown away elsewhere', () => {
  test.each<[string, DraftRecord | null, DraftState, string]>([
    ['ends here as well', record('Mine'), server(null, { ended: 'posted' }), 'ended'],
    ['is no end of words typed since', record('Mine', { dirty: true }), server(null), 'new'],
    ['leaves an empty form empty', record(null), server(null), 'ended'],
    ['is nothing to a form without one', null, server(null), 'nothing'],
    ['is not what the server knows nothing of: the copy here is kept', record('Mine'), nothing, 'new'],
    ['has ended too where nobody remembers', record('Mine', { changedAt: now - 61 * day }), nothing, 'ended'],
    [
      '… but for what was never sent',
      record('Mine', { changedAt: now - 61 * day, dirty: true }),
      nothing,
      'new',
    ],
  ])('%s', (_, mine, theirs, found) => {
    expect(decideDraftMerge(mine, theirs, here)).toBe(found);
  });
});

test('no words that only this browser has are ever given up without being asked for', () => {
  const steps = [99, 100, 101];
  for (const baseVersion of [null, 7, 8])
    for (const wasSent of [true, false])
      for (const postedKey of [null, 'key-of-post'])
        for (const sequence of steps)
          for (const clientId of ['this-browser', 'another-browser'])
            for (const theirs of ['Theirs', null]) {
              const mine = record('Mine', { baseVersion, wasSent, postedKey, dirty: true });
              const found = decideDraftMerge(mine, server(theirs, { clientId, sequence }), here);
              expect(['choice', 'continues', 'new']).toContain(found);
            }
});

describe('what local storage holds', () => {
  test('is read back as it was written', () => {
    const written = record('Mine', { dirty: true });
    expect(parseDraftRecord(JSON.stringify(written))).toEqual(written);
  });

  test('from before drafts were kept on the server is a draft that is still to be sent', () => {
    const old = JSON.stringify({ content: 'Typed long ago', key: 'key-of-post', refused: null });
    expect(parseDraftRecord(old)).toMatchObject({
      fields: { content: 'Typed long ago', key: 'key-of-post', refused: null },
      baseVersion: null,
      dirty: true,
    });
  });

  test.each([null, '', '{', '7', 'null', '[]', '"text"'])('is nothing where it is %j', (text) => {
    expect(parseDraftRecord(text)).toBeNull();
  });
});
