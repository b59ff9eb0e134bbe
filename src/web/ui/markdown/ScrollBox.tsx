import { useEffect, useRef, useState, type ReactNode } from 'react';

/** A box whose content may be wider than the page. While it scrolls, it can be reached and scrolled by keyboard. */
export function ScrollBox({
  label,
  dir,
  className,
  children,
}: {
  label: string;
  /** Of what is always left to right: its beginning is what is seen first. Else as the text around. */
  dir?: 'ltr';
  className?: string | undefined;
  children: ReactNode;
}) {
  const box = useRef<HTMLElement>(null);
  const [scrolls, setScrolls] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() =>
      setScrolls(element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <section
      ref={box}
      dir={dir}
      data-edges
      className={className}
      {...(scrolls ? { 'aria-label': label, tabIndex: 0 } : {})}
    >
      {children}
    </section>
  );
}
