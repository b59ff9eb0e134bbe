import type { MantineColorScheme, MantineColorSchemeManager } from '@mantine/core';

const key = 'darkMode';

/**
 * The theme as the specification keeps it: local storage `darkMode`, 'true' or 'false'; where it is missing, the
 * system's theme holds (docs/product.md 16.1). Other tabs follow. public/theme.js knows the same rule.
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
        // A null key tells that the whole storage was cleared.
        if (event.key === key || event.key === null) onUpdate(schemeOf(event.newValue));
      };
      window.addEventListener('storage', listener);
    },
    unsubscribe,
    clear: () => write(null),
  };
}

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
    // Storage can be forbidden or full; the theme holds until the page is left.
  }
}
