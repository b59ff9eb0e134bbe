import { useSyncExternalStore } from 'react';
import { isObject } from './offline-queue.ts';

/** What a visitor wants to do, for which Parley needs to know who they are. */
export type SignInReason = 'act' | 'answer' | 'ask' | 'bookmark' | 'follow' | 'reply' | 'report' | 'vote';

let reason: SignInReason | null = null;
const listeners = new Set<() => void>();

/**
 * Opens the dialog that asks a visitor to log in, and remembers the control, so that it has the focus again when the
 * member comes back to this page.
 */
export function askToSignIn(wanted: SignInReason, control: Element): void {
  rememberControl(control);
  setReason(wanted);
}

export const closeSignInPrompt = () => setReason(null);

export function useSignInPrompt(): SignInReason | null {
  return useSyncExternalStore(
    subscribe,
    () => reason,
    () => null,
  );
}

function setReason(next: SignInReason | null): void {
  reason = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** In session storage, because an identity provider signs members in on another site. */
const storageKey = 'parley.sign-in-control';

/** Milliseconds after which a sign-in has no longer to do with the control. */
const maxAgeMs = 60 * 60_000;

/** A control of a page: the `index`-th element that matches the selector. */
type StoredControl = { path: string; selector: string; index: number; at: number };

/** Controls of a post are below the element with its id. */
export function rememberControl(control: Element): void {
  const attributes = ['data-sign-in', 'data-shortcut-key', 'aria-haspopup'].flatMap((name) => {
    const value = control.getAttribute(name);
    return value === null ? [] : `[${name}="${CSS.escape(value)}"]`;
  });
  const post = control.closest('[data-post]')?.id;
  const selector = `${post === undefined ? '' : `#${CSS.escape(post)} `}${control.localName}${attributes.join('')}`;
  const index = [...document.querySelectorAll(selector)].indexOf(control);
  const stored: StoredControl = { path: location.pathname, selector, index, at: Date.now() };
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(stored));
  } catch {
    // Storage can be blocked. The member then finds the control on the page.
  }
}

/** The remembered control of this page; null if there is none. */
export function readRememberedControl(): { find: () => HTMLElement | undefined; forget: () => void } | null {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null');
    if (!isStoredControl(stored) || stored.path !== location.pathname) return null;
    if (Date.now() - stored.at > maxAgeMs) return null;
    return {
      find: () => [...document.querySelectorAll<HTMLElement>(stored.selector)][stored.index],
      forget: () => sessionStorage.removeItem(storageKey),
    };
  } catch {
    return null;
  }
}

function isStoredControl(value: unknown): value is StoredControl {
  if (!isObject(value)) return false;
  const { path, selector, index, at } = value;
  return (
    typeof path === 'string' &&
    typeof selector === 'string' &&
    typeof index === 'number' &&
    typeof at === 'number'
  );
}
