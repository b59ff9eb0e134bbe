import { describe, expect, test } from 'vitest';
import { isInCode } from './code-blocks.ts';
import { applyEditToText } from './text-edits.ts';
import { findLanguages, insertLanguage } from './code-languages.ts';
import { formatMention, findTrigger } from './suggestion-triggers.ts';
import { insertEmptyTable, wrapInFence, wrapSelection } from './wrap-selection.ts';

function selected(marked: string) {
  const from = marked.indexOf('|');
  const to = marked.lastIndexOf('|') - (marked.lastIndexOf('|') === from ? 0 : 1);
  return { text: marked.replaceAll('|', ''), from, to };
}

describe('a character typed over a selection', () => {
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
  ])('%s goes around it', (typed, before, expected) => {
    const written = selected(before);
    const edit = wrapSelection(written, typed);
    expect(edit && applyEditToText(written.text, edit)).toBe(expected);
  });

  test('leaves it selected, so that typing it again makes it bold', () => {
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
  ])('%s replaces %j as ever', (typed, before) => {
    expect(wrapSelection(selected(before), typed)).toBeNull();
  });
});

test('a block of code has a fence that its text does not have', () => {
  expect(applyEditToText('a ```b``` c', wrapInFence(selected('a |```b```| c')))).toBe(
    'a \n````\n```b```\n````\n c',
  );
});

test.each([
  ['|', '| Column 1 | Column 2 |\n| --- | --- |\n|  |  |\n'],
  ['a|', 'a\n\n| Column 1 | Column 2 |\n| --- | --- |\n|  |  |\n'],
])('a table stands apart from what is around it (%j)', (before, expected) => {
  const written = selected(before);
  const edit = insertEmptyTable(written);
  const text = applyEditToText(written.text, edit);
  expect(text).toBe(expected);
  expect(text.slice(...(edit.select ?? []))).toBe('Column 1');
});

describe('suggestions come', () => {
  const at = (marked: string) => {
    const { text, from } = selected(marked);
    const found = findTrigger(text, from);
    return found && `${found.kind}:${found.query}:${text.slice(found.from, found.to)}`;
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
  ])('in %j', (marked, expected) => {
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
  ])('not in %j', (marked) => {
    expect(at(marked)).toBeNull();
  });
});

test('what is between backticks or fences is code', () => {
  expect(isInCode('a `b` c', 3)).toBe(true);
  expect(isInCode('a `b` c', 6)).toBe(false);
  expect(isInCode('a ` b', 5)).toBe(false);
  expect(isInCode('```\na\n```\nb', 5)).toBe(true);
  expect(isInCode('```\na\n```\nb', 10)).toBe(false);
});

test('a mention is a link to the profile, whatever signs the name has', () => {
  expect(formatMention({ id: 12, name: 'Ada Lovelace' })).toBe('[@Ada Lovelace](/profile/12) ');
  expect(formatMention({ id: 3, name: 'a_b]*' })).toBe(String.raw`[@a\_b\]\*](/profile/3) `);
});

describe('the language of a block of code', () => {
  const name = (marked: string, at = 0) => {
    const { text, from } = selected(marked);
    const trigger = findTrigger(text, from);
    if (trigger === null) throw new Error('No list here');
    const [language] = findLanguages(trigger.query, text).slice(at);
    if (language === undefined) throw new Error('No language');
    const edit = insertLanguage(text, trigger, language);
    const [caret = 0] = edit.select ?? [];
    const result = applyEditToText(text, edit);
    return `${result.slice(0, caret)}|${result.slice(caret)}`;
  };

  test.each([
    ['is named, the block closed and gone into', '```rus|', '```rust\n|\n```'],
    ['stays as it was typed where that is one of its names', '```py|', '```py\n|\n```'],
    ['is named for the block that is there', '```|\na\n```', '```\n|a\n```'],
    ['goes into a quote with its block', '> ```go|', '> ```go\n> |\n> ```'],
    ['goes into a list with its block', '- ```go|', '- ```go\n  |\n  ```'],
    ['leaves other blocks alone', '```go|\n\n```js\nx\n```', '```go\n|\n```\n\n```js\nx\n```'],
  ])('%s', (_, before, after) => {
    expect(name(before)).toBe(after);
  });

  test('is plain text first, then what the text uses already', () => {
    expect(
      findLanguages('', '```sql\nx\n```')
        .map(({ key }) => key)
        .slice(0, 3),
    ).toEqual(['', 'sql', 'python']);
  });

  test('is found by any of its names', () => {
    expect(findLanguages('c#', '')[0]?.key).toBe('csharp');
    expect(findLanguages('typ', '').map(({ key }) => key)).toEqual(['typescript']);
    expect(findLanguages('brainf', '')).toEqual([]);
  });
});
