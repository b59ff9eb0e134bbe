import { useSyncExternalStore } from 'react';

type State = 'never' | 'open' | 'closed';

/** What floats over every page and is loaded when it is first wanted. */
function floating() {
  let state: State = 'never';
  const listeners = new Set<() => void>();
  const set = (next: State) => {
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
    useState: () => useSyncExternalStore(subscribe, () => state),
  };
}

export const palette = floating();
export const shortcutSheet = floating();
