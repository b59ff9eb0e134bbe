import { describe, expect, test } from 'vitest';
import { checkAskDraft } from './ask-checklist.ts';
import { canAddTag, getUnfinishedTag, insertTag } from './tag-field.ts';

describe('a tag that is pressed', () => {
  test.each([
    ['', 'css', 'css, '],
    ['html', 'css', 'html, css, '],
    ['html, ', 'css', 'html, css, '],
    ['html, cs', 'css', 'html, css, '],
    ['html, java', 'JavaScript', 'html, JavaScript, '],
    ['CSS, html', 'css', 'html, css, '],
    ['a, b, c, d', 'e', 'a, b, c, d, e'],
    ['a, b, c, d, ja', 'java', 'a, b, c, d, java'],
  ])('with %j in the field: %s', (typed, tag, then) => {
    expect(insertTag(typed, tag)).toBe(then);
  });

  test('has room until five are chosen; one that is being completed is not chosen yet', () => {
    expect(['', 'a, b, c, d', 'a, b, c, d, e', 'a, b, c, d, e,'].map(canAddTag)).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  test('the unfinished tag is what stands behind the last comma', () => {
    expect(['', 'a', 'a,', 'a, #b  c'].map(getUnfinishedTag)).toEqual(['', 'a', '', 'b c']);
  });
});

describe('the checklist', () => {
  const empty = { title: '', content: '', tags: '' };
  const advices = (draft: Partial<typeof empty>) => checkAskDraft({ ...empty, ...draft });
  const ticks = (draft: Partial<typeof empty>) =>
    advices(draft)
      .filter(({ done }) => done)
      .map(({ advice }) => advice);

  test('ticks nothing for an empty form', () => {
    expect(ticks({})).toEqual([]);
  });

  test.each([
    ['How do I centre a box?', true],
    ['Centring a box with flexbox', true],
    ['怎样注册商标？', true],
    ['flexbox', false],
    ['Help me!', false],
    ['Why?', false],
  ])('sees whether the title says what is asked: %s', (title, told) => {
    expect(ticks({ title }).includes('title')).toBe(told);
  });

  test('wants details of about two sentences', () => {
    expect(ticks({ content: 'It fails.' })).not.toContain('details');
    expect(ticks({ content: 'I tried it on two machines. '.repeat(5) })).toContain('details');
  });

  test.each([
    ['```js\nconst a = 1;\n```', true],
    ['    const a = 1;', true],
    ['Use `const a = 1;` here', true],
    ['const a = 1;', false],
    ['My code:\nfor (;;) {\n}', false],
    ['<div class="box">', false],
    ['SELECT name FROM member', false],
  ])('sees code outside of code blocks: %j', (content, tidy) => {
    expect(advices({ content })).toContainEqual({ advice: 'code', done: tidy });
  });

  test.each(['', 'Plain words; and more of them.', 'One line.\n\nAnother.'])(
    'says nothing of code to who writes none: %j',
    (content) => {
      expect(advices({ content }).map(({ advice }) => advice)).toEqual(['title', 'details', 'tags']);
    },
  );

  test('wants a tag', () => {
    expect(ticks({ tags: ' , ' })).toEqual([]);
    expect(ticks({ tags: 'css' })).toEqual(['tags']);
  });
});
