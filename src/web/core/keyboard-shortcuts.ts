import { useEffect, useRef } from 'react';

export type ShortcutGroup = 'everywhere' | 'lists' | 'posts' | 'writing' | 'review' | 'moderation';

/**
 * All keyboard shortcuts: one key ('n', '/', '?') or two in a row ('g,h') outside fields, or with Mod (⌘ on a Mac, Ctrl
 * elsewhere). The key bindings and the list of shortcuts (app/ShortcutSheet.tsx) are made from it.
 */
export const shortcuts = {
  palette: { group: 'everywhere', keys: 'Mod+K' },
  search: { group: 'everywhere', keys: '/' },
  ask: { group: 'everywhere', keys: 'n' },
  home: { group: 'everywhere', keys: 'g,h' },
  topics: { group: 'everywhere', keys: 'g,t' },
  following: { group: 'everywhere', keys: 'g,f' },
  notifications: { group: 'everywhere', keys: 'g,n' },
  profile: { group: 'everywhere', keys: 'g,p' },
  sheet: { group: 'everywhere', keys: '?' },
  close: { group: 'everywhere', keys: 'Escape' },
  next: { group: 'lists', keys: 'j' },
  previous: { group: 'lists', keys: 'k' },
  open: { group: 'lists', keys: 'Enter' },
  upvote: { group: 'posts', keys: 'u' },
  downvote: { group: 'posts', keys: 'd' },
  reply: { group: 'posts', keys: 'r' },
  edit: { group: 'posts', keys: 'e' },
  fold: { group: 'posts', keys: 'c' },
  bookmark: { group: 'posts', keys: 'b' },
  approve: { group: 'review', keys: 'a' },
  reject: { group: 'review', keys: 'r' },
  // In the review queue, for moderators only.
  deletePost: { group: 'moderation', keys: 'x' },
  deleteSpam: { group: 'moderation', keys: 's' },
  post: { group: 'writing', keys: 'Mod+Enter' },
  bold: { group: 'writing', keys: 'Mod+B' },
  italic: { group: 'writing', keys: 'Mod+I' },
  link: { group: 'writing', keys: 'Mod+K' },
} as const satisfies Record<string, { group: ShortcutGroup; keys: string }>;

export type ShortcutName = keyof typeof shortcuts;
type Bindings = Partial<Record<ShortcutName, () => void>>;

export const isMac = /Mac|iPhone|iPad/u.test(navigator.platform);

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

/**
 * Open dialogs, menus and popovers, but not those that are fading out: the root has `data-dialog` while a dialog is open,
 * and the button of a menu is expanded.
 */
const overlays = '[data-dialog],button[aria-haspopup][aria-expanded=true]';

function handle(event: KeyboardEvent): void {
  // A field has already handled its own shortcut, such as Mod+K for a link.
  if (event.defaultPrevented || event.repeat || event.isComposing || event.altKey) return;
  if (document.querySelector(overlays) !== null) return;
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

export const singleKeysKey = 'singleKeys';

/**
 * Whether shortcuts without Ctrl or ⌘ work. Members who dictate or press keys by accident can switch them off (WCAG
 * 2.1.4). Stored in this browser; on by default.
 */
export function areSingleKeysEnabled(): boolean {
  try {
    return localStorage.getItem(singleKeysKey) !== 'false';
  } catch {
    return true;
  }
}
