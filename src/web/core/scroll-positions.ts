/** Session storage: the scroll positions by the key of their entry in the browser's history, in CSS pixels. */
const storageName = 'parley.scroll-positions';

/** Positions of older entries are forgotten. */
const maxEntries = 50;

const positions = new Map(readStored());

/** Stores how far the page is scrolled. */
export function savePosition(key: string): void {
  positions.delete(key);
  positions.set(key, wanted ?? window.scrollY);
}

export function readPosition(key: string): number | undefined {
  return positions.get(key);
}

let restoration = new AbortController();

/** The position that is not reached yet, because the content of the page is still loading. */
let wanted: number | null = null;

/** Scrolls to a position. If the content of the page is still loading, again when it grows, until the reader scrolls. */
export function restorePosition(top: number): void {
  stopRestoring();
  const { signal } = (restoration = new AbortController());
  wanted = top;
  const scroll = () => {
    window.scrollTo({ top, behavior: 'instant' });
    if (window.scrollY > top - 1) stopRestoring();
  };
  scroll();
  if (signal.aborted) return;
  const observer = new ResizeObserver(scroll);
  observer.observe(document.body);
  signal.addEventListener('abort', () => observer.disconnect());
  for (const input of ['pointerdown', 'wheel', 'keydown'])
    window.addEventListener(input, stopRestoring, { signal, passive: true });
}

export function stopRestoring(): void {
  wanted = null;
  restoration.abort();
}

/**
 * Takes the place of the browser's restoration, which scrolls before the content of the page is there. After a reload
 * the browser restores the position itself, because the server sends most pages with their content.
 * @param keyOf returns the key of the page on the screen
 */
export function watchPositions(keyOf: () => string | undefined): void {
  const takeOver = () => (history.scrollRestoration = 'manual');
  // Not before the browser has scrolled the first page.
  if (document.readyState === 'complete') takeOver();
  // Also after a return from another site.
  window.addEventListener('pageshow', takeOver);
  window.addEventListener('pagehide', () => {
    history.scrollRestoration = 'auto';
    const key = keyOf();
    if (key !== undefined) savePosition(key);
    try {
      sessionStorage.setItem(storageName, JSON.stringify([...positions].slice(-maxEntries)));
    } catch {
      // Without storage the page begins at the top.
    }
  });
}

function readStored(): [key: string, position: number][] {
  try {
    return JSON.parse(globalThis.sessionStorage?.getItem(storageName) ?? '[]') as [string, number][];
  } catch {
    return [];
  }
}
