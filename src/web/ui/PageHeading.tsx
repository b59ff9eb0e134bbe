import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react';
import { useSiteName } from '#web/core/session.ts';

/**
 * The heading of a page, its only h1. It takes the focus after a navigation inside Parley, so that screen readers
 * announce the page and Tab continues from its top.
 */
export function PageHeading({
  children,
  className,
}: {
  children: ReactNode;
  className?: string | undefined;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (heading.current !== null && consumeHeadingFocusRequest())
      heading.current.focus({ preventScroll: true });
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1} className={className}>
      {children}
    </h1>
  );
}

let isRequested = false;

/** Called after a navigation inside the app: the heading of the page takes the focus, now or when it is rendered. */
export function requestHeadingFocus(): void {
  isRequested = true;
  const heading = document.querySelector<HTMLElement>('main h1[tabindex="-1"]');
  if (heading === null) return;
  isRequested = false;
  heading.focus({ preventScroll: true });
}

/** Returns true once per navigation. A page that has put the focus into its form calls it to leave the focus there. */
function consumeHeadingFocusRequest(): boolean {
  const take = isRequested;
  isRequested = false;
  return take && !isField(document.activeElement);
}

function isField(element: Element | null): boolean {
  return element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
}

let unread = 0;
const listeners = new Set<() => void>();

/** The number of unread notifications, shown before the title of every page. */
export function setUnreadInTitle(count: number): void {
  if (count === unread) return;
  unread = count;
  for (const listener of listeners) listener();
}

/** Sets the document title: 'Sign in · Our community', with unread notifications '(3) Sign in · Our community'. */
export function usePageTitle(title: string): void {
  const siteName = useSiteName();
  const count = useSyncExternalStore(
    subscribe,
    () => unread,
    () => 0,
  );
  useEffect(() => {
    document.title = `${count > 0 ? `(${count > 99 ? '99+' : count}) ` : ''}${title} · ${siteName}`;
  }, [title, count, siteName]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
