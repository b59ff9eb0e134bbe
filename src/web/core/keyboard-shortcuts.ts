import { t } from '@lingui/core/macro';
import { useEffect, useRef, useSyncExternalStore } from 'react';

type Group = 'everywhere' | 'lists' | 'posts' | 'writing' | 'moderation';

/**
 * All keyboard shortcuts: one key ('n', '/', '?') or two in a row ('g,h') outside fields, or with Mod (⌘ on a Mac, Ctrl
 * elsewhere). The key bindings and the list of shortcuts are made from it.
 */
const shortcuts = {
  palette: { group: 'everywhere', keys: 'Mod+K', describe: () => t`Search or run a command` },
  search: { group: 'everywhere', keys: '/', describe: () => t`Search` },
  ask: { group: 'everywhere', keys: 'n', describe: () => t`Ask a question` },
  home: { group: 'everywhere', keys: 'g,h', describe: () => t`Go to Home` },
  topics: { group: 'everywhere', keys: 'g,t', describe: () => t`Go to Topics` },
  following: { group: 'everywhere', keys: 'g,f', describe: () => t`Go to Following` },
  notifications: { group: 'everywhere', keys: 'g,n', describe: () => t`Go to Notifications` },
  profile: { group: 'everywhere', keys: 'g,p', describe: () => t`Go to Your Profile` },
  sheet: { group: 'everywhere', keys: '?', describe: () => t`Show keyboard shortcuts` },
  close: { group: 'everywhere', keys: 'Escape', describe: () => t`Close menu or dialog` },
  next: { group: 'lists', keys: 'j', describe: () => t`Next` },
  previous: { group: 'lists', keys: 'k', describe: () => t`Previous` },
  open: { group: 'lists', keys: 'Enter', describe: () => t`Open` },
  upvote: { group: 'posts', keys: 'u', describe: () => t`Upvote` },
  downvote: { group: 'posts', keys: 'd', describe: () => t`Downvote` },
  reply: { group: 'posts', keys: 'r', describe: () => t`Reply` },
  edit: { group: 'posts', keys: 'e', describe: () => t`Edit` },
  fold: { group: 'posts', keys: 'c', describe: () => t`Show or hide replies` },
  bookmark: { group: 'posts', keys: 'b', describe: () => t`Bookmark` },
  // For moderators only, so only the review queue lists them.
  dismissReports: { group: 'moderation', keys: 'm', describe: () => t`Dismiss reports` },
  hidePost: { group: 'moderation', keys: 'h', describe: () => t`Hide` },
  deletePost: { group: 'moderation', keys: 'x', describe: () => t`Delete` },
  post: { group: 'writing', keys: 'Mod+Enter', describe: () => t`Submit` },
  bold: { group: 'writing', keys: 'Mod+B', describe: () => t`Bold` },
  italic: { group: 'writing', keys: 'Mod+I', describe: () => t`Italic` },
  link: { group: 'writing', keys: 'Mod+K', describe: () => t`Link` },
} as const satisfies Record<string, { group: Group; keys: string; describe: () => string }>;

type ShortcutName = keyof typeof shortcuts;
type Bindings = Partial<Record<ShortcutName, () => void>>;

/** A shortcut as listed for members. */
export type Shortcut = { keys: string; describe: () => string };

export function listShortcuts(group: Group): Shortcut[] {
  return Object.values(shortcuts).filter((shortcut) => shortcut.group === group);
}

const isMac = /Mac|iPhone|iPad/u.test(navigator.platform);

/** The label of the Mod key on this platform. */
export function getModKeyLabel(): string {
  return isMac ? '⌘' : t`Ctrl`;
}

const sequenceMs = 1200;
const mounted: { current: Bindings }[] = [];
let firstKey: { key: string; at: number } | null = null;

/** Binds shortcuts while the component is mounted. The component mounted last wins if several bind the same key. */
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
  // A field has already handled its own shortcut, such as Mod+K for a link.
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

/** Multi-line fields have shortcuts of their own. */
function isMultilineField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('textarea'));
}

const key = 'singleKeys';
const listeners = new Set<() => void>();

/**
 * Whether shortcuts without Ctrl or ⌘ work. Members who dictate or press keys by accident can switch them off (WCAG
 * 2.1.4). Stored in this browser; on by default.
 */
export function areSingleKeysEnabled(): boolean {
  try {
    return localStorage.getItem(key) !== 'false';
  } catch {
    return true;
  }
}

export function useSingleKeySetting(): readonly [wanted: boolean, set: (wanted: boolean) => void] {
  return [useSyncExternalStore(subscribe, areSingleKeysEnabled, () => true), storeSetting];
}

function storeSetting(wanted: boolean): void {
  try {
    localStorage.setItem(key, String(wanted));
  } catch {
    // Storage can be blocked or full. Nothing changes then, and the checkbox shows it.
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
