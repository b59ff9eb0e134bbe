import { useEffect, useRef, type ReactNode } from 'react';
import { consumeHeadingFocusRequest } from '#web/core/heading-focus.ts';

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
