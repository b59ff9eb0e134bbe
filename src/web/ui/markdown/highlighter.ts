import type { Options } from 'react-markdown';

type Highlighter = NonNullable<Options['rehypePlugins']>[number];

let loaded: Highlighter | null = null;

/** Whether a text has a fenced block with a language; only those are highlighted. */
export function hasCodeLanguage(text: string): boolean {
  return /^[ >\t*+\-\d.)]*(?:```|~~~)[`~]*[ \t]*\w/mu.test(text);
}

/** The plugin for syntax highlighting; null until `loadHighlighter` has loaded it. */
export function getHighlighter(): Highlighter | null {
  return loaded;
}

/** Does nothing if it cannot be loaded: code without highlighting is still readable. */
export async function loadHighlighter(): Promise<void> {
  try {
    const { default: rehypeHighlight } = await import('rehype-highlight');
    loaded = [rehypeHighlight, { detect: false, plainText: ['text', 'txt', 'plain', 'plaintext'] }];
  } catch {}
}
