import { useSyncExternalStore } from 'react';

/** `auto`: the theme of the system. */
export type ColorSchemeChoice = 'light' | 'dark' | 'auto';

/** The name in local storage: 'true' or 'false', or nothing for the theme of the system (docs/product.md 16.1). */
const key = 'darkMode';
/** The styles follow this attribute of the page. public/theme.js sets it before the first paint. */
const attribute = 'data-mantine-color-scheme';

let choice: ColorSchemeChoice = 'auto';
const listeners = new Set<() => void>();

/** Applies the stored choice, and what other tabs and the system change. */
export function watchColorScheme(): void {
  const readAgain = () => apply(read());
  readAgain();
  matchMedia(systemIsDark).addEventListener('change', () => apply(choice));
  window.addEventListener('storage', (event) => {
    // The key is null when the whole storage was cleared.
    if (event.key === key || event.key === null) readAgain();
  });
}
const systemIsDark = '(prefers-color-scheme: dark)';

/** Stores the choice in this browser. */
export function setColorScheme(next: ColorSchemeChoice): void {
  write(next === 'auto' ? null : String(next === 'dark'));
  apply(next);
}

/** The theme that the page has. `light` on the server, which does not know it, and while its page is hydrated. */
export function useColorScheme(): 'light' | 'dark' {
  return useSyncExternalStore(subscribe, getShown, () => 'light');
}

export function useColorSchemeChoice(): ColorSchemeChoice {
  return useSyncExternalStore(
    subscribe,
    () => choice,
    () => 'auto',
  );
}

function apply(next: ColorSchemeChoice): void {
  choice = next;
  document.documentElement.setAttribute(attribute, getShown());
  for (const listener of listeners) listener();
}

function getShown(): 'light' | 'dark' {
  if (choice !== 'auto') return choice;
  return matchMedia(systemIsDark).matches ? 'dark' : 'light';
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function read(): ColorSchemeChoice {
  try {
    const stored = localStorage.getItem(key);
    if (stored === 'true') return 'dark';
    return stored === 'false' ? 'light' : 'auto';
  } catch {
    return 'auto';
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
