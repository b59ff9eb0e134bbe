import { startTransition, useEffect, useState } from 'react';

/**
 * A new navigation starts at the top of the page. Going back or reloading needs the full height immediately to restore
 * the scroll position.
 */
const isNewNavigation = performance
  .getEntriesByType('navigation')
  .some((entry) => (entry as PerformanceNavigationTiming).type === 'navigate');

let isFirst = isNewNavigation && location.hash === '';

/** Navigations after the first page render everything immediately. */
export function endFirstRender(): void {
  isFirst = false;
}

/**
 * Whether to render a part of the page that may come later. On the first page it renders after its surroundings, in an
 * interruptible transition, so that a slow phone is not blocked for a second.
 */
export function useIsAfterFirstRender(): boolean {
  const [isAfter, setIsAfter] = useState(!isFirst);
  useEffect(() => startTransition(() => setIsAfter(true)), []);
  return isAfter;
}

/** How many items of a list a slow processor can lay out in one task. */
const itemsPerStep = 2;

/**
 * The items of a list: all of them or, on the first page, a few more with each render (see `useIsAfterFirstRender`).
 * Whatever follows the list waits until `isWhole`, because it would move otherwise.
 */
export function useIncrementalList<Item>(items: readonly Item[]): {
  visibleItems: readonly Item[];
  isWhole: boolean;
} {
  const [visibleCount, setVisibleCount] = useState(isFirst ? itemsPerStep : Infinity);
  const isWhole = visibleCount >= items.length;
  useEffect(() => {
    const next = visibleCount + itemsPerStep;
    if (!isWhole) startTransition(() => setVisibleCount(next < items.length ? next : Infinity));
  }, [visibleCount, isWhole, items.length]);
  return { visibleItems: isWhole ? items : items.slice(0, visibleCount), isWhole };
}
