import { useEffect, useSyncExternalStore } from 'react';

let unread = 0;
const listeners = new Set<() => void>();

/** The number of unread notifications, shown before the title of every page. */
export function setUnreadInTitle(count: number): void {
  if (count === unread) return;
  unread = count;
  for (const listener of listeners) listener();
}

/** Sets the document title: 'Sign in · Parley', with unread notifications '(3) Sign in · Parley'. */
export function usePageTitle(title: string): void {
  const count = useSyncExternalStore(subscribe, () => unread);
  useEffect(() => {
    document.title = `${count > 0 ? `(${count > 99 ? '99+' : count}) ` : ''}${title} · Parley`;
  }, [title, count]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
