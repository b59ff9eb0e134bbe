import { describe, expect, test } from 'vitest';
import { isInCode, reuseClosingFence } from './code-blocks.ts';
import { applyEditToText } from './text-edits.ts';
import { findLanguages, insertLanguage } from './code-languages.ts';
import { formatMention, findTrigger } from './suggestion-triggers.ts';
import { insertEmptyTable, wrapInFence, wrapSelection } from './wrap-selection.ts';

function selected(marked: string) {
  const from = marked.indexOf('|');
  const to = marked.lastIndexOf('|') - (marked.lastIndexOf('|') === from ? 0 : 1);
  return { text: marked.replaceAll('|', ''), from, to };
}

describe('typing a character over a selection', () => {
  test.each([
    ['*', 'a |b| c', 'a *b* c'],
    ['_', 'a |b |c', 'a _b_ c'],
    ['`', 'a |b| c', 'a `b` c'],
    ['(', 'a |b |c', 'a (b )c'],
    ['[', '|b|', '[b]'],
    ['{', '|b|', '{b}'],
    ['~', '|b|', '~b~'],
    ['"', '|b|', '"b"'],
    ['`', '|one\ntwo|', '```\none\ntwo\n```'],
  ])('wraps it with %s', (typed, before, expected) => {
    const field = selected(before);
    const edit = wrapSelection(field, typed);
    expect(edit && applyEditToText(field.text, edit)).toBe(expected);
  });

  test('keeps it selected, so that typing the character again makes it bold', () => {
    const edit = wrapSelection(selected('a |b| c'), '*');
    const text = applyEditToText('a b c', edit ?? { from: 0, to: 0, insert: '' });
    const [from, to] = edit?.select ?? [0, 0];
    expect(text.slice(from, to)).toBe('b');
    const again = wrapSelection({ text, from, to }, '*');
    expect(again && applyEditToText(text, again)).toBe('a **b** c');
  });

  test.each([
    ['a', '|b|'],
    [')', '|b|'],
    ['*', 'b|'],
    ['*', 'a| |b'],
  ])('replaces it as usual: %s in %j', (typed, before) => {
    expect(wrapSelection(selected(before), typed)).toBeNull();
  });
});

describe('typing a closing fence', () => {
  test.each([
    ['`', '```js\na;\n``|\n```', '```js\na;\n```|'],
    ['`', '```js\na;\n``|\n```\nb', '```js\na;\n```|\nb'],
    ['~', '~~~js\n~~|\n~~~', '~~~js\n~~~|'],
    ['`', '- ```js\n  a;\n  ``|\n  ```', '- ```js\n  a;\n  ```|'],
    ['`', '```\na\n``|\n```\n\n```\nb\n```', '```\na\n```|\n\n```\nb\n```'],
  ])('moves to the one below it: %s in %j', (typed, before, expected) => {
    const field = selected(before);
    const edit = reuseClosingFence(field, typed);
    expect(edit && applyEditToText(field.text, edit)).toBe(expected.replace('|', ''));
    expect(edit && edit.from + edit.insert.length).toBe(expected.indexOf('|'));
  });

  test.each([
    ['an opening fence', '`', '``|\n```'],
    ['the first fence below opens another block', '`', '```\na\n``|\n```\nb\n```'],
    ['text follows on the line', '`', '```\n``| a\n```'],
    ['no fence follows', '`', '```\na\n``|\nb'],
    ['another character', 'x', '```\na\n``|\n```'],
  ])('adds one as usual: %s', (_, typed, before) => {
    expect(reuseClosingFence(selected(before), typed)).toBeNull();
  });
});

test('wraps a code block with a fence that the text does not contain', () => {
  expect(applyEditToText('a ```b``` c', wrapInFence(selected('a |```b```| c')))).toBe(
    'a \n````\n```b```\n````\n c',
  );
});

test.each([
  ['|', '| Column 1 | Column 2 |\n| --- | --- |\n|  |  |\n'],
  ['a|', 'a\n\n| Column 1 | Column 2 |\n| --- | --- |\n|  |  |\n'],
])('inserts a table apart from the surrounding text (%j)', (before, expected) => {
  const field = selected(before);
  const edit = insertEmptyTable(field);
  const text = applyEditToText(field.text, edit);
  expect(text).toBe(expected);
  expect(text.slice(...(edit.select ?? []))).toBe('Column 1');
});

describe('findTrigger', () => {
  const at = (marked: string) => {
    const { text, from } = selected(marked);
    const trigger = findTrigger(text, from);
    return trigger && `${trigger.kind}:${trigger.query}:${text.slice(trigger.from, trigger.to)}`;
  };
  test.each([
    ['@|', 'member::@'],
    ['Thanks @Ad|', 'member:Ad:@Ad'],
    ['Thanks @Ada Lov|', 'member:Ada Lov:@Ada Lov'],
    ['(@Ада|', 'member:Ада:@Ада'],
    ['one\n@a| b', 'member:a:@a'],
    ['see #12|', 'question:12:#12'],
    ['#bread ov|', 'question:bread ov:#bread ov'],
    ['```|', 'language::'],
    ['text\n~~~py|\nx', 'language:py:py'],
    ['- ```js|', 'language:js:js'],
    ['```\nx\n```\n@a|', 'member:a:@a'],
    ['`x` @a|', 'member:a:@a'],
  ])('finds a trigger in %j', (marked, expected) => {
    expect(at(marked)).toBe(expected);
  });

  test.each([
    'ada@example|',
    '# |',
    '#|',
    '# Heading|',
    'C#|',
    '[@Ada|](/profile/1)',
    String.raw`\@a|`,
    '`@a|`',
    '```\n@a|',
    '```\n#12|\n```',
    '```\nx\n```|',
    '``` js|x',
    '@a b c d e|',
    'https://example.org/#12|',
    '&#39|',
    '@@a|',
  ])('finds none in %j', (marked) => {
    expect(at(marked)).toBeNull();
  });
});

test('treats text in backticks or fences as code', () => {
  expect(isInCode('a `b` c', 3)).toBe(true);
  expect(isInCode('a `b` c', 6)).toBe(false);
  expect(isInCode('a ` b', 5)).toBe(false);
  expect(isInCode('```\na\n```\nb', 5)).toBe(true);
  expect(isInCode('```\na\n```\nb', 10)).toBe(false);
});

test('formats a mention as an escaped link to the profile', () => {
  expect(formatMention({ id: 12, name: 'Ada Lovelace' })).toBe('[@Ada Lovelace](/profile/12) ');
  expect(formatMention({ id: 3, name: 'a_b]*' })).toBe(String.raw`[@a\_b\]\*](/profile/3) `);
});

describe('completing the language of a code block', () => {
  const name = (marked: string, at = 0) => {
    const { text, from } = selected(marked);
    const trigger = findTrigger(text, from);
    if (trigger === null) throw new Error('There is no trigger.');
    const [language] = findLanguages(trigger.query, text).slice(at);
    if (language === undefined) throw new Error('There is no language.');
    const edit = insertLanguage(text, trigger, language);
    const [caret = 0] = edit.select ?? [];
    const result = applyEditToText(text, edit);
    return `${result.slice(0, caret)}|${result.slice(caret)}`;
  };

  test.each([
    ['inserts the name, closes the block and moves the caret into it', '```rus|', '```rust\n|\n```'],
    ['leaves a typed alias as it is', '```py|', '```py\n|\n```'],
    ['uses an existing block', '```|\na\n```', '```\n|a\n```'],
    ['keeps the block in its quote', '> ```go|', '> ```go\n> |\n> ```'],
    ['keeps the block in its list item', '- ```go|', '- ```go\n  |\n  ```'],
    ['leaves other blocks unchanged', '```go|\n\n```js\nx\n```', '```go\n|\n```\n\n```js\nx\n```'],
  ])('%s', (_, before, after) => {
    expect(name(before)).toBe(after);
  });

  test('suggests plain text first, then the languages of the text', () => {
    expect(
      findLanguages('', '```sql\nx\n```')
        .map(({ key }) => key)
        .slice(0, 3),
    ).toEqual(['', 'sql', 'python']);
  });

  test('finds a language by any of its names', () => {
    expect(findLanguages('c#', '')[0]?.key).toBe('csharp');
    expect(findLanguages('typ', '').map(({ key }) => key)).toEqual(['typescript']);
    expect(findLanguages('brainf', '')).toEqual([]);
  });
});
