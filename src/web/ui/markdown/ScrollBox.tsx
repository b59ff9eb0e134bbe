import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';

/** A box whose content may be wider than the page. While it can scroll, the keyboard can focus and scroll it. */
export function ScrollBox({
  label,
  dir,
  className,
  children,
}: {
  label: string;
  /**
   * For content that is always left to right, so that its start is in view. By default it follows the surrounding text.
   */
  dir?: 'ltr';
  className?: string | undefined;
  children: ReactNode;
}) {
  const box = useRef<HTMLElement>(null);
  const [scrolls, setScrolls] = useState(false);
  // Before the box is painted, so that it is never shown without being focusable.
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () =>
      setScrolls(element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <section
      ref={box}
      dir={dir}
      data-fade-edges
      className={className}
      // A group and no landmark: a page has many of them with the same name.
      {...(scrolls ? { role: 'group', 'aria-label': label, tabIndex: 0 } : {})}
    >
      {children}
    </section>
  );
}
