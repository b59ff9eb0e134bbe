import { expect, test } from 'vitest';
import { sanitizeUrl } from './safe-urls.ts';

test('allows links to the web and to email addresses', () => {
  for (const address of ['https://example.org/a?b#c', 'http://localhost:3000/', 'mailto:ada@example.org'])
    expect(sanitizeUrl(address)).toBe(address);
});

test.each([
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  'java\nscript:alert(1)',
  '\u0001javascript:alert(1)',
  'vbscript:msgbox(1)',
  'data:text/html,<script>alert(1)</script>',
  'file:///etc/passwd',
  'blob:https://example.org/1',
  '//example.org',
  '/question/1',
  '#answer-1',
  '',
])('rejects an address like %j', (address) => {
  expect(sanitizeUrl(address)).toBe('');
});

test('allows only the footnotes of the same text', () => {
  expect(sanitizeUrl('#note-1-fn-2', '#note-1-')).toBe('#note-1-fn-2');
  expect(sanitizeUrl('#note-2-fn-2', '#note-1-')).toBe('');
});
