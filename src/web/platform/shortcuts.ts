import { useEffect, useRef, useSyncExternalStore } from 'react';

/**
 * Keys of a page, outside of fields: a key ('n', '/', '?') or two in a row ('g h').
 * `description` is what the sheet of shortcuts says; the sheet lists what holds on the page it is opened on.
 */
export type Shortcut = { keys: string; description: string; run: () => void };

const sequenceMs = 1200;
const groups = new Set<readonly Shortcut[]>();
let listed: readonly Shortcut[] = [];
const listeners = new Set<() => void>();
let firstKey: { key: string; at: number } | null = null;

/** Holds while the component is on the page. The one mounted last wins where two want the same keys. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts);
  useEffect(() => {
    latest.current = shortcuts;
  });
  const signature = shortcuts.map(({ keys, description }) => `${keys}\t${description}`).join('\n');
  useEffect(() => {
    const group = signature.split('\n').map((line, index) => {
      const [keys = '', description = ''] = line.split('\t');
      return { keys, description, run: () => latest.current[index]?.run() };
    });
    if (groups.size === 0) document.addEventListener('keydown', handle);
    groups.add(group);
    changed();
    return () => {
      groups.delete(group);
      if (groups.size === 0) document.removeEventListener('keydown', handle);
      changed();
    };
  }, [signature]);
}

export function useListedShortcuts(): readonly Shortcut[] {
  return useSyncExternalStore(subscribe, () => listed);
}

function handle(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.repeat || event.isComposing) return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTyping(event.target) || document.querySelector('[role="dialog"], [role="menu"]') !== null) return;

  const before = firstKey !== null && event.timeStamp - firstKey.at < sequenceMs ? firstKey.key : null;
  firstKey = null;
  const shortcut = (before !== null && find(`${before} ${event.key}`)) || find(event.key);
  if (shortcut) {
    event.preventDefault();
    shortcut.run();
    return;
  }
  if (listed.some(({ keys }) => keys.startsWith(`${event.key} `)))
    firstKey = { key: event.key, at: event.timeStamp };
}

function find(keys: string): Shortcut | undefined {
  return listed.findLast((shortcut) => shortcut.keys === keys);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
  );
}

function changed(): void {
  listed = [...groups].flat();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
