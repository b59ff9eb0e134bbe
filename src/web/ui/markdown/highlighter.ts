import type { TreeChange } from './parse-markdown.ts';

let loaded: TreeChange | null = null;

/** Whether a text has a fenced block with a language; only those are highlighted. */
export function hasCodeLanguage(text: string): boolean {
  return /^[ >\t*+\-\d.)]*(?:```|~~~)[`~]*[ \t]*\w/mu.test(text);
}

/** Marks the parts of the code in a text; null until `loadHighlighter` has loaded it. */
export function getHighlighter(): TreeChange | null {
  return loaded;
}

/** Does nothing if it cannot be loaded: code without highlighting is still readable. */
export async function loadHighlighter(): Promise<void> {
  try {
    loaded = (await import('./highlight.ts')).highlight;
  } catch {}
}
