import { useEffect, useRef, type ReactNode } from 'react';
import { consumeHeadingFocusRequest } from '#web/core/heading-focus.ts';

/**
 * The heading of a page: the one h1. It takes the focus when the reader came here by a link inside Parley, so that a
 * screen reader says where they are and Tab goes on from the top of the page.
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
