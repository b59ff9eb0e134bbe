import { useEffect, useRef, type ReactNode } from 'react';

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
