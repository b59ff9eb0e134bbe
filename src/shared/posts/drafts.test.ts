import { expect, test } from 'vitest';
import { draftTargets, parseDraftTarget } from './drafts-targets.ts';
import { draftFields } from './drafts.ts';

test('parses every target', () => {
  expect(parseDraftTarget(draftTargets.ask)).toEqual({ form: 'ask' });
  expect(parseDraftTarget(draftTargets.answer(7))).toEqual({ form: 'answer', questionId: 7 });
  for (const kind of ['question', 'answer', 'reply'] as const) {
    const post = { kind, id: 12 };
    expect(parseDraftTarget(draftTargets.reply(post))).toEqual({ form: 'reply', post });
    expect(parseDraftTarget(draftTargets.edit(post))).toEqual({ form: 'edit', post });
  }
});

test.each([
  '',
  'ask:1',
  'answer',
  'answer:0',
  'answer:1x',
  'reply:7',
  'reply:feed:7',
  'edit:answer:-1',
  'replying:7',
])('refuses %j', (place) => {
  expect(parseDraftTarget(place)).toBeNull();
});

test('accepts the fields of forms untrimmed, except characters that the database cannot store', () => {
  expect(draftFields.safeParse({ content: ' \ttyped\n ', version: null }).success).toBe(true);
  for (const wrong of [{ content: 'a\0' }, { content: '\ud83d' }, { content: 1 }, { 'a b': '' }, [], null])
    expect(draftFields.safeParse(wrong).success).toBe(false);
  const many = Object.fromEntries(Array.from({ length: 13 }, (_, n) => [String.fromCharCode(97 + n), '']));
  expect(draftFields.safeParse(many).success).toBe(false);
});
