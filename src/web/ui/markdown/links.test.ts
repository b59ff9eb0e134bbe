import { fromHtml } from 'hast-util-from-html';
import type { ElementContent } from 'hast';
import { describe, expect, test } from 'vitest';
import { linkInternally, findQuestionReferences } from './links.ts';
import { sanitizeUrl } from './sanitize-url.ts';

const titles = new Map([
  [12, 'How long does bread keep?'],
  [7, 'Why seven?'],
]);

/** The links of a text after linkInternally, as '#12→/question/12'. */
function links(html: string): string[] {
  const tree = fromHtml(html, { fragment: true });
  linkInternally({ titles, origin: 'https://parley.example' })(tree);
  return linksIn(tree.children as ElementContent[]);
}

function linksIn(nodes: readonly ElementContent[]): string[] {
  return nodes.flatMap((node) => {
    if (node.type !== 'element') return [];
    if (node.tagName !== 'a') return linksIn(node.children);
    const [text] = node.children;
    const { dataInside = '', dataMention, title } = node.properties;
    const kind = dataMention === '' ? 'mention ' : '';
    return [
      `${kind}${text?.type === 'text' ? text.value : ''}→${String(dataInside)}${title ? ` (${title})` : ''}`,
    ];
  });
}

describe('question references', () => {
  test('become links with the title, anywhere in the text', () => {
    expect(links('<p>See #12, (#7) and <em>#12</em>.</p>')).toEqual([
      '#12→/question/12/how-long-does-bread-keep (How long does bread keep?)',
      '#7→/question/7/why-seven (Why seven?)',
      '#12→/question/12/how-long-does-bread-keep (How long does bread keep?)',
    ]);
  });

  test.each([
    '<p>#13 is unknown</p>',
    '<p><code>#12</code></p>',
    '<pre><code>#12</code></pre>',
    '<p>C#12, a#7, ##7, /#7, #7th, #012</p>',
  ])('stay unchanged in %s', (html) => {
    expect(links(html)).toEqual([]);
  });

  test('create no link inside a link', () => {
    expect(links('<a href="https://example.org">#12</a>')).toEqual(['#12→']);
  });

  test('are found once each', () => {
    expect(findQuestionReferences('#12 and #7, #12 again, C#9, #x')).toEqual([12, 7]);
  });
});

describe('mentions', () => {
  test.each(['/profile/12', 'https://parley.example/profile/12'])(
    'are links to %s with text that starts with @',
    (href) => {
      expect(links(`<a href="${href}">@Ada</a>`)).toEqual(['mention @Ada→/profile/12']);
    },
  );

  test.each([
    '<a href="/profile/12">Ada</a>',
    '<a href="https://elsewhere.example/profile/12">@Ada</a>',
    '<a href="/profile/12/answers">@Ada</a>',
    '<a href="/settings">@Ada</a>',
  ])('do not include %s', (html) => {
    expect(links(html).join('')).not.toContain('mention');
  });
});

describe('paths of posts', () => {
  test.each(['/question/12', '/question/12#answer-34'])('are links inside the site in %s', (path) => {
    expect(links(`<a href="${path}" title="A title">this</a>`)).toEqual([`this→${path} (A title)`]);
  });

  test.each(['/question/12/edit', '/question/012', '/question/12#x', '//question/12', '/questions/12'])(
    'do not include %s',
    (path) => {
      expect(links(`<a href="${path}">this</a>`)).toEqual(['this→']);
    },
  );
});

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
