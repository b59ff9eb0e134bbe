import { describe, expect, test } from 'vitest';
import { applyEditToText, type TextEdit, type FieldText } from './text-edits.ts';
import { continueLine, isAtItemStart, moveItems } from './lists.ts';

/** A text with '|' as the caret, or with two of them around the selection. */
function field(marked: string): FieldText {
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

const enter = (marked: string) => after(field(marked), continueLine(field(marked)));
const move = (marked: string, way: 'in' | 'out') => after(field(marked), moveItems(field(marked), way));

describe('continueLine', () => {
  test.each([
    ['starts the next item of a bulleted list', '- one|', '- one\n- |'],
    ['repeats the bullet', '* one|\n* two', '* one\n* |\n* two'],
    ['increments the number of a numbered list', '9. nine|', '9. nine\n10. |'],
    ['repeats the delimiter of the number', '1) one|', '1) one\n2) |'],
    ['repeats the indentation', '- a\n  - b|', '- a\n  - b\n  - |'],
    ['starts the next task unchecked', '- [x] done|', '- [x] done\n- [ ] |'],
    ['continues a quote', '> said|', '> said\n> |'],
    ['continues a nested quote', '> > said|', '> > said\n> > |'],
    ['continues a list in a quote', '> - a|', '> - a\n> - |'],
    ['moves the rest of the line to the next item', '- one |two', '- one \n- |two'],
    ['ends the list on an empty item', '- one\n- |', '- one\n|'],
    ['ends the list on an empty task', '- [ ] one\n- [ ] |', '- [ ] one\n|'],
    ['ends the list on an empty numbered item', '1. one\n2. |\nafter', '1. one\n|\nafter'],
    ['moves an empty nested item one level out', '1. a\n   - b\n   - |', '1. a\n   - b\n2. |'],
    ['ends a quote on an empty line', '> said\n> |', '> said\n|'],
    ['continues the outer quote on an empty line of a nested one', '> > a\n> > |', '> > a\n> |'],
    ['repeats the indentation in a code block', '```\n  if x:|', '```\n  if x:\n  |'],
  ])('%s', (_, before, expected) => {
    expect(enter(before)).toBe(expected);
  });

  test.each([
    ['in plain text', 'one|'],
    ['before the text of an item', '|- one'],
    ['inside the marker of an item', '-| one'],
    ['on a thematic break', '- - -|'],
    ['after a dash without a space', '-one|'],
    ['in a code block that looks like a list', '```\n- one|'],
    ['over a selection', '- |one|'],
  ])('does nothing %s', (_, before) => {
    expect(enter(before)).toBeNull();
  });

  test('continues a list after a code block', () => {
    expect(enter('```\nx\n```\n- one|')).toBe('```\nx\n```\n- one\n- |');
  });
});

describe('moveItems', () => {
  test.each([
    ['indents an item below the previous one', '- a\n- |b', '- a\n  - |b'],
    ['indents to the text of a numbered item', '10. a\n11. |b', '10. a\n    1. |b'],
    ['continues the numbers of the nested list', '1. a\n   1. b\n2. |c', '1. a\n   1. b\n   2. |c'],
    ['moves the children of an item with it', '- a\n- |b\n  - c\n- d', '- a\n  - |b\n    - c\n- d'],
    ['moves all selected items', '- a\n- |b\n- c|', '- a\n|  - b\n  - c|'],
    ['moves an item inside its quote', '> - a\n> - |b', '> - a\n>   - |b'],
  ])('%s', (_, before, expected) => {
    expect(move(before, 'in')).toBe(expected);
  });

  test.each([
    ['moves an item one level out', '- a\n  - |b', '- a\n- |b'],
    ['renumbers an item that moves out', '1. a\n   - x\n   1. |b', '1. a\n   - x\n2. |b'],
    ['moves the children of an item out with it', '- a\n  - |b\n    - c', '- a\n- |b\n  - c'],
  ])('%s', (_, before, expected) => {
    expect(move(before, 'out')).toBe(expected);
  });

  test.each([
    ['the first item', '- |a', 'in'],
    ['an item already below the previous one', '- a\n  - |b', 'in'],
    ['an item of the top level', '- a\n- |b', 'out'],
    ['plain text', 'a|', 'in'],
    ['code', '```\n- a\n- |b', 'in'],
  ] as const)('moves nothing: %s', (_, before, way) => {
    expect(move(before, way)).toBeNull();
  });

  test("finds the caret at the start of an item's text", () => {
    expect(isAtItemStart(field('- a\n- |b'))).toBe(true);
    expect(isAtItemStart(field('- [ ] |b'))).toBe(true);
    expect(isAtItemStart(field('- b|'))).toBe(false);
    expect(isAtItemStart(field('|text'))).toBe(false);
  });
});
