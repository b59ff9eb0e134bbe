import { describe, expect, test } from 'vitest';
import { limits } from '#shared/core/limits.ts';
import { checkAskDraft } from './ask-checklist.ts';
import { canAddTag, getUnfinishedTag, insertTag } from './ask-draft.ts';

describe('tag field', () => {
  test.each([
    ['', 'css', 'css, '],
    ['html', 'css', 'html, css, '],
    ['html, ', 'css', 'html, css, '],
    ['html, cs', 'css', 'html, css, '],
    ['html, java', 'JavaScript', 'html, JavaScript, '],
    ['CSS, html', 'css', 'html, css, '],
    ['a, b, c, d', 'e', 'a, b, c, d, e'],
    ['a, b, c, d, ja', 'java', 'a, b, c, d, java'],
  ])('turns %j plus the tag %j into %j', (typed, tag, then) => {
    expect(insertTag(typed, tag)).toBe(then);
  });

  test('accepts up to five tags, not counting one that is being completed', () => {
    expect(['', 'a, b, c, d', 'a, b, c, d, e', 'a, b, c, d, e,'].map(canAddTag)).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  test('takes the text after the last comma as the unfinished tag', () => {
    expect(['', 'a', 'a,', 'a, #b  c'].map(getUnfinishedTag)).toEqual(['', 'a', '', 'b c']);
  });
});

describe('checkAskDraft', () => {
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
  ])('ticks the title only if it is a clear question: %s', (title, expected) => {
    expect(ticks({ title }).includes('title')).toBe(expected);
  });

  test('ticks details of about two sentences', () => {
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
  ])('detects code outside code blocks: %j', (content, tidy) => {
    expect(advices({ content })).toContainEqual({ advice: 'code', done: tidy });
  });

  test.each(['', 'Plain words; and more of them.', 'One line.\n\nAnother.'])(
    'omits the code hint for text without code: %j',
    (content) => {
      expect(advices({ content }).map(({ advice }) => advice)).toEqual(['title', 'details', 'tags']);
    },
  );

  test('ticks nothing of a field with an error', () => {
    const title = `What is ${'x'.repeat(limits.title)}?`;
    const content = 'x'.repeat(limits.details + 1);
    expect(ticks({ title, content, tags: 'a, b, c, d, e, f' })).toEqual([]);
  });

  test('ticks the tags once there is one', () => {
    expect(ticks({ tags: ' , ' })).toEqual([]);
    expect(ticks({ tags: 'css' })).toEqual(['tags']);
  });
});
