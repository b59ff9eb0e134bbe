import { t } from '@lingui/core/macro';
import { useEffect, useRef, useSyncExternalStore } from 'react';

type Group = 'everywhere' | 'lists' | 'posts' | 'writing' | 'care';

/**
 * Every key of Parley: one ('n', '/', '?') or two in a row ('g,h') outside of fields, or with Mod,
 * which is ⌘ on a Mac and Ctrl elsewhere. From this list keys are bound and the sheet of shortcuts is made.
 */
const shortcuts = {
  palette: { group: 'everywhere', keys: 'Mod+K', describe: () => t`Find or do anything` },
  search: { group: 'everywhere', keys: '/', describe: () => t`Search` },
  ask: { group: 'everywhere', keys: 'n', describe: () => t`Ask a question` },
  home: { group: 'everywhere', keys: 'g,h', describe: () => t`Go to Home` },
  topics: { group: 'everywhere', keys: 'g,t', describe: () => t`Go to Topics` },
  following: { group: 'everywhere', keys: 'g,f', describe: () => t`Go to Following` },
  notifications: { group: 'everywhere', keys: 'g,n', describe: () => t`Go to Notifications` },
  profile: { group: 'everywhere', keys: 'g,p', describe: () => t`Go to Your Profile` },
  sheet: { group: 'everywhere', keys: '?', describe: () => t`Show these shortcuts` },
  close: { group: 'everywhere', keys: 'Escape', describe: () => t`Close what is open` },
  next: { group: 'lists', keys: 'j', describe: () => t`Next` },
  previous: { group: 'lists', keys: 'k', describe: () => t`Previous` },
  open: { group: 'lists', keys: 'Enter', describe: () => t`Open` },
  upvote: { group: 'posts', keys: 'u', describe: () => t`Upvote` },
  downvote: { group: 'posts', keys: 'd', describe: () => t`Downvote` },
  reply: { group: 'posts', keys: 'r', describe: () => t`Reply` },
  edit: { group: 'posts', keys: 'e', describe: () => t`Edit` },
  fold: { group: 'posts', keys: 'c', describe: () => t`Hide or show the replies` },
  bookmark: { group: 'posts', keys: 'b', describe: () => t`Bookmark` },
  // Of operators alone: the page that has them says them.
  dismissFlags: { group: 'care', keys: 'm', describe: () => t`Dismiss the flags` },
  hidePost: { group: 'care', keys: 'h', describe: () => t`Hide` },
  deletePost: { group: 'care', keys: 'x', describe: () => t`Delete` },
  post: { group: 'writing', keys: 'Mod+Enter', describe: () => t`Post what you are writing` },
  bold: { group: 'writing', keys: 'Mod+B', describe: () => t`Bold` },
  italic: { group: 'writing', keys: 'Mod+I', describe: () => t`Italic` },
  link: { group: 'writing', keys: 'Mod+K', describe: () => t`Link` },
} as const satisfies Record<string, { group: Group; keys: string; describe: () => string }>;

type ShortcutName = keyof typeof shortcuts;
type Bindings = Partial<Record<ShortcutName, () => void>>;

/** What the sheet says of it. */
export type Shortcut = { keys: string; describe: () => string };

export function listShortcuts(group: Group): Shortcut[] {
  return Object.values(shortcuts).filter((shortcut) => shortcut.group === group);
}

const isMac = /Mac|iPhone|iPad/u.test(navigator.platform);

/** What Mod is written as. */
export function getModKeyLabel(): string {
  return isMac ? '⌘' : t`Ctrl`;
}

const sequenceMs = 1200;
const mounted: { current: Bindings }[] = [];
let firstKey: { key: string; at: number } | null = null;

/** Holds while the component is on the page. The one mounted last wins where two want the same keys. */
export function useShortcuts(bindings: Bindings): void {
  const latest = useRef(bindings);
  useEffect(() => {
    latest.current = bindings;
  });
  useEffect(() => {
    if (mounted.length === 0) document.addEventListener('keydown', handle);
    mounted.push(latest);
    return () => {
      mounted.splice(mounted.indexOf(latest), 1);
      if (mounted.length === 0) document.removeEventListener('keydown', handle);
    };
  }, []);
}

function handle(event: KeyboardEvent): void {
  // What a field does with a key, such as making a link with Mod+K, it has done by now.
  if (event.defaultPrevented || event.repeat || event.isComposing || event.altKey) return;
  if (document.querySelector('[role="dialog"], [role="menu"]') !== null) return;
  const mod = isMac ? event.metaKey : event.ctrlKey;
  if (mod) {
    if (!isMultilineField(event.target)) run(event, `Mod+${event.key.toUpperCase()}`);
    return;
  }
  if (event.ctrlKey || event.metaKey || isTyping(event.target) || !areSingleKeysEnabled()) return;

  const before = firstKey !== null && event.timeStamp - firstKey.at < sequenceMs ? firstKey.key : null;
  firstKey = null;
  if ((before !== null && run(event, `${before},${event.key}`)) || run(event, event.key)) return;
  if (Object.values(shortcuts).some(({ keys }) => keys.startsWith(`${event.key},`)))
    firstKey = { key: event.key, at: event.timeStamp };
}

function run(event: KeyboardEvent, keys: string): boolean {
  for (const { current } of mounted.toReversed())
    for (const [name, { keys: wanted }] of Object.entries(shortcuts)) {
      const action = wanted === keys ? current[name as ShortcutName] : undefined;
      if (action === undefined) continue;
      event.preventDefault();
      action();
      return true;
    }
  return false;
}

function isTyping(target: EventTarget | null): boolean {
  return isMultilineField(target) || (target instanceof HTMLElement && target.matches('input, select'));
}

/** Fields of more than a line have shortcuts of their own. */
function isMultilineField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('textarea'));
}

const key = 'singleKeys';
const listeners = new Set<() => void>();

/**
 * Whether keys without Ctrl or ⌘ do something. Who dictates, or whose hand trembles, switches them off (WCAG 2.1.4). Kept
 * in this browser; where nothing is kept, they do.
 */
export function areSingleKeysEnabled(): boolean {
  try {
    return localStorage.getItem(key) !== 'false';
  } catch {
    return true;
  }
}

export function useSingleKeySetting(): readonly [wanted: boolean, set: (wanted: boolean) => void] {
  return [useSyncExternalStore(subscribe, areSingleKeysEnabled), storeSetting];
}

function storeSetting(wanted: boolean): void {
  try {
    localStorage.setItem(key, String(wanted));
  } catch {
    // Storage can be forbidden or full; nothing changes then, and the box shows it.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}
