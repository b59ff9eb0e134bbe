import { toHtml } from 'hast-util-to-html';
import { expect, test } from 'vitest';
import { parseMarkdown } from './parse-markdown.ts';

const options = {
  breaks: true,
  idPrefix: 'note-',
  hiddenClass: 'hidden',
  changes: [],
  transformUrl: (address: string) => address,
};

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
