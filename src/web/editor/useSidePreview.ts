import { useLocalStorage } from '@mantine/hooks';
import { useCallback, useLayoutEffect, useRef, useState, type RefObject } from 'react';

/** The minimum width for two columns of text, in CSS pixels. */
const minWidthPx = 640;

/**
 * Whether the preview at the side is possible (there is space for both) and whether the member has chosen it. The
 * choice is stored in this browser.
 */
export function useSidePreview(long: boolean): {
  frame: RefObject<HTMLDivElement | null>;
  possible: boolean;
  chosen: boolean;
  toggle: () => void;
} {
  const frame = useRef<HTMLDivElement>(null);
  const [roomy, setRoomy] = useState(false);
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null || !long) return;
    // Before the first paint, so that a restored draft does not jump.
    setRoomy(element.clientWidth >= minWidthPx);
    const observer = new ResizeObserver(() => setRoomy(element.clientWidth >= minWidthPx));
    observer.observe(element);
    return () => observer.disconnect();
  }, [long]);
  const [chosen, choose] = useLocalStorage({
    key: 'parley.side-preview',
    defaultValue: true,
    getInitialValueInEffect: false,
  });
  return { frame, possible: long && roomy, chosen, toggle: () => choose(!chosen) };
}

/** Scrolls two boxes with the same text together: scrolling one moves the other to the same proportion. */
export function useScrollSync(
  field: RefObject<HTMLElement | null>,
  preview: RefObject<HTMLElement | null>,
): { onFieldScroll: () => void; onPreviewScroll: () => void; follow: () => void } {
  /** The last programmatic position. Its scroll event must not move the other box back. */
  const lastSet = useRef<{ box: HTMLElement; top: number } | null>(null);
  const move = useCallback((from: HTMLElement | null, to: HTMLElement | null) => {
    if (from === null || to === null) return;
    if (lastSet.current?.box === from && Math.abs(lastSet.current.top - from.scrollTop) < 2) return;
    const scrollable = from.scrollHeight - from.clientHeight;
    if (scrollable <= 0) return;
    to.scrollTop = (from.scrollTop / scrollable) * (to.scrollHeight - to.clientHeight);
    lastSet.current = { box: to, top: to.scrollTop };
  }, []);
  const follow = useCallback(() => move(field.current, preview.current), [move, field, preview]);
  return {
    onFieldScroll: () => move(field.current, preview.current),
    onPreviewScroll: () => move(preview.current, field.current),
    follow,
  };
}
