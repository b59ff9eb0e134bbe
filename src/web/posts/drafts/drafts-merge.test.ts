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
  sentStep: null,
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

describe('decideDraftMerge with a draft on the server', () => {
  test.each<[string, DraftRecord | null, DraftState, string]>([
    ['fills an empty form', null, server('Theirs'), 'behind'],
    ['updates a form without changes', record('Mine'), server('Theirs'), 'behind'],
    [
      'lets the member choose if there is unsent text',
      record('Mine', { dirty: true }),
      server('Theirs'),
      'choice',
    ],
    [
      'lets the member choose if a program replaces the text in a form without changes',
      record('Mine'),
      server('Theirs', { clientId: 'token-5' }),
      'choice',
    ],
    [
      'fills an empty form with the text of a program',
      null,
      server('Theirs', { clientId: 'token-5' }),
      'behind',
    ],
    [
      'continues with text based on it',
      record('Mine', { baseVersion: 8, dirty: true }),
      server('Theirs'),
      'continues',
    ],
    [
      'ignores a response older than the known version',
      record('Mine', { baseVersion: 9 }),
      server('Old'),
      'nothing',
    ],
    ['accepts the same text without a choice', record('Mine', { dirty: true }), server('Mine'), 'same'],
    [
      'continues from text this browser sent, although the response was lost',
      record('Mine, longer', { dirty: true }),
      server('Mine', { clientId: 'this-browser', sequence: 99 }),
      'continues',
    ],
    [
      'lets the member choose between an earlier draft of this browser and a text that a visitor typed',
      record(null, { fields: { content: 'Mine', key: 'key-of-visitor' }, baseVersion: null, dirty: true }),
      server('Earlier', { clientId: 'this-browser', sequence: 99 }),
      'choice',
    ],
    [
      'lets the member choose if the local text is older than what this browser sent, as after its storage was restored',
      record('Mine', { dirty: true }),
      server('Mine, longer', { clientId: 'this-browser', sequence: 101 }),
      'choice',
    ],
    [
      'refills a form emptied offline after another device wrote',
      record(null, { dirty: true }),
      server('Theirs'),
      'behind',
    ],
    [
      'deletes the draft of an emptied form',
      record(null, { baseVersion: 8, dirty: true }),
      server('Mine'),
      'continues',
    ],
    ['waits while the post is queued', record(null, { postedKey: 'key-of-post' }), server('Mine'), 'waits'],
    [
      'continues with text typed while a post is queued',
      record('Another', { dirty: true, postedKey: 'key-of-post' }),
      server('Mine'),
      'continues',
    ],
    [
      'shows a new draft of another device while a post is queued',
      record(null, { postedKey: 'key-of-post' }),
      server('Theirs', { key: 'key-of-another' }),
      'behind',
    ],
  ])('%s', (_, mine, theirs, decision) => {
    expect(decideDraftMerge(mine, theirs, here)).toBe(decision);
  });
});

describe('decideDraftMerge without a draft on the server', () => {
  test.each<[string, DraftRecord | null, DraftState, string]>([
    ['ends the local draft as well', record('Mine'), server(null, { ended: 'posted' }), 'ended'],
    ['starts a new draft for text typed since', record('Mine', { dirty: true }), server(null), 'new'],
    ['leaves an empty form empty', record(null), server(null), 'ended'],
    [
      'keeps an emptied draft while a save of its text can arrive',
      record(null, { baseVersion: null, dirty: true, sentStep: 1, changedAt: now - 19_000 }),
      nothing,
      'unsettled',
    ],
    [
      'ends an emptied draft whose last save has failed',
      record(null, { baseVersion: null, dirty: true, sentStep: 1, changedAt: now - 20_000 }),
      nothing,
      'ended',
    ],
    ['ignores a target without a local draft', null, server(null), 'nothing'],
    ['keeps a local draft that the server does not know', record('Mine'), nothing, 'new'],
    [
      'ends an old local draft that the server does not know',
      record('Mine', { changedAt: now - 61 * day }),
      nothing,
      'ended',
    ],
    [
      'keeps old text that was never sent',
      record('Mine', { changedAt: now - 61 * day, dirty: true }),
      nothing,
      'new',
    ],
  ])('%s', (_, mine, theirs, decision) => {
    expect(decideDraftMerge(mine, theirs, here)).toBe(decision);
  });
});

test('never discards unsent text without asking', () => {
  const steps = [99, 100, 101];
  for (const baseVersion of [null, 7, 8])
    for (const sentStep of [1, null])
      for (const postedKey of [null, 'key-of-post'])
        for (const sequence of steps)
          for (const clientId of ['this-browser', 'another-browser'])
            for (const theirs of ['Theirs', null]) {
              const mine = record('Mine', { baseVersion, sentStep, postedKey, dirty: true });
              const decision = decideDraftMerge(mine, server(theirs, { clientId, sequence }), here);
              expect(['choice', 'continues', 'new']).toContain(decision);
            }
});

describe('parseDraftRecord', () => {
  test('reads back a stored record', () => {
    const written = record('Mine', { dirty: true });
    expect(parseDraftRecord(JSON.stringify(written))).toEqual(written);
  });

  test.each([null, '', '{', '7', 'null', '[]', '"text"'])('returns null for %j', (text) => {
    expect(parseDraftRecord(text)).toBeNull();
  });
});
