import { useEffect, useState } from 'react';
import type { Options } from 'react-markdown';

type Highlighter = NonNullable<Options['rehypePlugins']>[number];

let loaded: Highlighter | null = null;

/** Whether a text has a fenced block with a language; only those are highlighted. */
export function hasCodeLanguage(text: string): boolean {
  return /^[ >\t*+\-\d.)]*(?:```|~~~)[`~]*[ \t]*\w/mu.test(text);
}

/** The plugin for syntax highlighting, loaded when a text first needs it; null until then. */
export function useHighlighter(needed: boolean): Highlighter | null {
  const [highlighter, set] = useState(() => (needed ? loaded : null));
  useEffect(() => {
    if (!needed || highlighter !== null) return;
    let current = true;
    const apply = async () => {
      const plugin = await load();
      if (current && plugin !== null) set(() => plugin);
    };
    void apply();
    return () => {
      current = false;
    };
  }, [needed, highlighter]);
  return needed ? highlighter : null;
}

async function load(): Promise<Highlighter | null> {
  try {
    const { default: rehypeHighlight } = await import('rehype-highlight');
    loaded = [rehypeHighlight, { detect: false, plainText: ['text', 'txt', 'plain', 'plaintext'] }];
    return loaded;
  } catch {
    // Code without highlighting is still readable.
    return null;
  }
}
