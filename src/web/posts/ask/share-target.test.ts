import { describe, expect, test } from 'vitest';
import { limits } from '#shared/core/limits.ts';
import { parseSharedContent, mergeSharedContent } from './share-target.ts';

describe('parseSharedContent', () => {
  test.each([
    [
      { title: 'A page', text: 'Look at this', url: 'https://example.org/a' },
      { title: 'A page', content: 'Look at this\n\nhttps://example.org/a' },
    ],
    // Android puts the address into the text.
    [
      { title: 'A page', text: 'https://example.org/a' },
      { title: 'A page', content: 'https://example.org/a' },
    ],
    [
      { text: 'See https://example.org/a', url: 'https://example.org/a' },
      { title: '', content: 'See https://example.org/a' },
    ],
    [
      { title: 'Twice', text: 'Twice' },
      { title: 'Twice', content: '' },
    ],
    [
      { title: 'Two\nlines ', text: '  ' },
      { title: 'Two lines', content: '' },
    ],
  ])('turns %j into %j', (shared, question) => {
    expect(parseSharedContent(shared)).toEqual(question);
  });

  test.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'no address'])(
    'drops the invalid address %s',
    (url) => {
      expect(parseSharedContent({ title: 'A title', url })).toEqual({ title: 'A title', content: '' });
      expect(parseSharedContent({ url })).toBeNull();
    },
  );

  test('drops invalid characters and truncates long texts', () => {
    const shared = parseSharedContent({
      title: `\0a\u001b\ud800${'😀'.repeat(300)}`,
      text: 'x'.repeat(5000),
    });
    expect(shared?.title).toBe(`a\ufffd${'😀'.repeat(limits.title - 2)}`);
    expect(shared?.content).toHaveLength(limits.details);
  });
});

describe('mergeSharedContent', () => {
  const shared = { title: 'Shared', content: 'https://example.org/' };

  test('fills an empty draft', () => {
    expect(mergeSharedContent({ title: '', content: '' }, shared)).toEqual(shared);
  });

  test('appends shared content below typed text', () => {
    expect(mergeSharedContent({ title: 'Typed', content: 'Typed as well' }, shared)).toEqual({
      title: 'Typed',
      content: 'Typed as well\n\nShared\n\nhttps://example.org/',
    });
  });

  test('adds the same content only once', () => {
    const once = mergeSharedContent({ title: '', content: '' }, shared);
    expect(mergeSharedContent(once, shared)).toEqual(once);
  });

  test('keeps typed text if there is no space left', () => {
    const full = { title: 'Typed', content: 'x'.repeat(limits.details) };
    expect(mergeSharedContent(full, shared)).toEqual(full);
  });
});
