import { toHtml } from 'hast-util-to-html';
import { expect, test } from 'vitest';
import { extractFormulas } from './find-formulas.ts';
import { parseMarkdown } from './parse-markdown.ts';

const options = {
  breaks: true,
  idPrefix: 'note-',
  hiddenClass: 'hidden',
  changes: [],
  transformUrl: (address: string) => address,
};

test('shows a text as it was typed that is too much for the parser with its formulas', () => {
  const formula = `$${'['.repeat(1500)}$`;
  const text = `${formula} ${formula} ${formula}`;
  expect(parseMarkdown(text, options)).toBeNull();
  expect(parseMarkdown(text, { ...options, withPlaceholders: extractFormulas(text)?.text })).toBeNull();
});

test('applies the changes, and transforms the addresses of links and images', () => {
  const tree = parseMarkdown('**a** [b](c) ![d](e)', {
    ...options,
    changes: [
      ({ children: [paragraph] }) => {
        if (paragraph?.type === 'element') paragraph.properties['dir'] = 'auto';
      },
    ],
    transformUrl: (address, { tagName }) => `${tagName}:${address}`,
  });
  expect(tree === null ? null : toHtml(tree)).toBe(
    '<p dir="auto"><strong>a</strong> <a href="a:c">b</a> <img src="img:e" alt="d"></p>',
  );
});
