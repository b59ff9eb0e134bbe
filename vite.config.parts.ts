import path from 'node:path';
import type { Plugin } from 'vite';

/** The name of Vite's helper that loads the scripts and styles of an `import()`. */
const helper = '\0vite/preload-helper.js';

/** Replaces this helper by ours, with which parts that failed to load can be loaded again. */
export function loadedParts(): Plugin {
  return {
    name: 'parley:loaded-parts',
    enforce: 'pre',
    load(id) {
      if (id !== helper) return null;
      const own = path.resolve(import.meta.dirname, 'src/web/core/load-part.ts');
      return `export { loadPart as __vitePreload } from ${JSON.stringify(own)};`;
    },
  };
}
