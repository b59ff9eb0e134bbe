import type { MantineColorScheme, MantineColorSchemeManager } from '@mantine/core';

const key = 'darkMode';

/**
 * Stores the theme in local storage under `darkMode` as 'true' or 'false'. Without it, the system's theme applies
 * (docs/product.md 16.1). Other tabs follow. public/theme.js implements the same rule.
 */
export function createColorSchemeManager(): MantineColorSchemeManager {
  let listener: ((event: StorageEvent) => void) | null = null;
  const unsubscribe = () => {
    if (listener !== null) window.removeEventListener('storage', listener);
    listener = null;
  };
  return {
    get: () => schemeOf(read()),
    set: (scheme) => {
      if (scheme !== 'auto') write(String(scheme === 'dark'));
    },
    subscribe: (onUpdate) => {
      unsubscribe();
      listener = (event) => {
        // The key is null when the whole storage was cleared.
        if (event.key === key || event.key === null) onUpdate(schemeOf(event.newValue));
      };
      window.addEventListener('storage', listener);
    },
    unsubscribe,
    clear: () => write(null),
  };
}

/** On the server, where the theme is unknown. Styles of both themes follow the attribute that public/theme.js sets. */
export const fixedColorScheme: MantineColorSchemeManager = {
  get: () => 'light',
  set: () => {},
  subscribe: () => {},
  unsubscribe: () => {},
  clear: () => {},
};

function schemeOf(stored: string | null): MantineColorScheme {
  if (stored === 'true') return 'dark';
  return stored === 'false' ? 'light' : 'auto';
}

function read(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Storage can be blocked or full. The theme then lasts until the page is left.
  }
}
