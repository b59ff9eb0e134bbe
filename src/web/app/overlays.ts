import { useSyncExternalStore } from 'react';

type OverlayState = 'never' | 'open' | 'closed';

/** The state of an overlay that works on every page and is loaded when it is first opened. */
function createOverlay() {
  let state: OverlayState = 'never';
  const listeners = new Set<() => void>();
  const set = (next: OverlayState) => {
    state = next;
    for (const listener of listeners) listener();
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    open: () => set('open'),
    close: () => set('closed'),
    useState: () =>
      useSyncExternalStore(
        subscribe,
        () => state,
        () => 'never',
      ),
  };
}

export const commandPaletteOverlay = createOverlay();
export const shortcutSheetOverlay = createOverlay();
