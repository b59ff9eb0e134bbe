import { describe, expect, test } from 'vitest';
import { applyEditToText, type TextEdit, type FieldText } from './text-edits.ts';
import { continueLine, isAtItemStart, moveItems } from './lists.ts';

/** A text in which '|' is the caret, or two of them the ends of the selection. */
function written(marked: string): FieldText {
  const from = marked.indexOf('|');
  const to = marked.lastIndexOf('|');
  return { text: marked.replaceAll('|', ''), from, to: to === from ? from : to - 1 };
}

function after({ text, to }: FieldText, edit: TextEdit | null): string | null {
  if (edit === null) return null;
  const [from, end] = edit.select ?? [edit.from + edit.insert.length, edit.from + edit.insert.length];
  const result = applyEditToText(text, edit);
  expect(to).toBeGreaterThanOrEqual(0);
  return from === end
    ? `${result.slice(0, from)}|${result.slice(from)}`
    : `${result.slice(0, from)}|${result.slice(from, end)}|${result.slice(end)}`;
}

const enter = (marked: string) => after(written(marked), continueLine(written(marked)));
const move = (marked: string, way: 'in' | 'out') => after(written(marked), moveItems(written(marked), way));

describe('Enter', () => {
  test.each([
    ['in a bulleted list begins the next item', '- one|', '- one\n- |'],
    ['keeps the bullet that was used', '* one|\n* two', '* one\n* |\n* two'],
    ['counts on in a numbered list', '9. nine|', '9. nine\n10. |'],
    ['keeps the sign behind the number', '1) one|', '1) one\n2) |'],
    ['keeps the indentation', '- a\n  - b|', '- a\n  - b\n  - |'],
    ['leaves the next task to be done', '- [x] done|', '- [x] done\n- [ ] |'],
    ['goes on with a quote', '> said|', '> said\n> |'],
    ['goes on with a quote in a quote', '> > said|', '> > said\n> > |'],
    ['goes on with a list in a quote', '> - a|', '> - a\n> - |'],
    ['takes the rest of the line along', '- one |two', '- one \n- |two'],
    ['on an empty item ends the list', '- one\n- |', '- one\n|'],
    ['on an empty task ends the list', '- [ ] one\n- [ ] |', '- [ ] one\n|'],
    ['on an empty numbered item ends the list', '1. one\n2. |\nafter', '1. one\n|\nafter'],
    ['on an empty inner item goes on one level out', '1. a\n   - b\n   - |', '1. a\n   - b\n2. |'],
    ['on an empty line of a quote ends it', '> said\n> |', '> said\n|'],
    ['on an empty line of an inner quote goes on with the outer one', '> > a\n> > |', '> > a\n> |'],
    ['in a block of code keeps the indentation', '```\n  if x:|', '```\n  if x:\n  |'],
  ])('%s', (_, before, expected) => {
    expect(enter(before)).toBe(expected);
  });

  test.each([
    ['in plain text', 'one|'],
    ['before the text of an item', '|- one'],
    ['inside the mark of an item', '-| one'],
    ['on a line across the page', '- - -|'],
    ['after a dash without a space', '-one|'],
    ['in a block of code that looks like a list', '```\n- one|'],
    ['over a selection', '- |one|'],
  ])('is just that %s', (_, before) => {
    expect(enter(before)).toBeNull();
  });

  test('goes on with a list behind a block of code', () => {
    expect(enter('```\nx\n```\n- one|')).toBe('```\nx\n```\n- one\n- |');
  });
});

describe('a list item', () => {
  test.each([
    ['goes below the one before it', '- a\n- |b', '- a\n  - |b'],
    ['goes as far as the text of a numbered one', '10. a\n11. |b', '10. a\n    1. |b'],
    ['counts on with those that stand there', '1. a\n   1. b\n2. |c', '1. a\n   1. b\n   2. |c'],
    ['takes what hangs below it along', '- a\n- |b\n  - c\n- d', '- a\n  - |b\n    - c\n- d'],
    ['goes with the others that are selected', '- a\n- |b\n- c|', '- a\n|  - b\n  - c|'],
    ['moves inside its quote', '> - a\n> - |b', '> - a\n>   - |b'],
  ])('%s', (_, before, expected) => {
    expect(move(before, 'in')).toBe(expected);
  });

  test.each([
    ['comes out to the level above', '- a\n  - |b', '- a\n- |b'],
    ['takes the number of its place', '1. a\n   - x\n   1. |b', '1. a\n   - x\n2. |b'],
    ['comes out with what hangs below it', '- a\n  - |b\n    - c', '- a\n- |b\n  - c'],
  ])('%s', (_, before, expected) => {
    expect(move(before, 'out')).toBe(expected);
  });

  test.each([
    ['the first one', '- |a', 'in'],
    ['one that stands below its neighbour already', '- a\n  - |b', 'in'],
    ['one of the outermost level', '- a\n- |b', 'out'],
    ['plain text', 'a|', 'in'],
    ['code', '```\n- a\n- |b', 'in'],
  ] as const)('does not move where it cannot: %s', (_, before, way) => {
    expect(move(before, way)).toBeNull();
  });

  test('is moved by Tab at the beginning of its text only', () => {
    expect(isAtItemStart(written('- a\n- |b'))).toBe(true);
    expect(isAtItemStart(written('- [ ] |b'))).toBe(true);
    expect(isAtItemStart(written('- b|'))).toBe(false);
    expect(isAtItemStart(written('|text'))).toBe(false);
  });
});
