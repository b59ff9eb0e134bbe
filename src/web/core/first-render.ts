import { startTransition, useEffect, useState } from 'react';

/** Where a page is opened anew one begins at its top; who comes back to it wants its whole height at once. */
const isNewNavigation = performance
  .getEntriesByType('navigation')
  .some((entry) => (entry as PerformanceNavigationTiming).type === 'navigate');

let isFirst = isNewNavigation && location.hash === '';

/** Whoever goes on from the page they opened gets others at once. */
export function endFirstRender(): void {
  isFirst = false;
}

/**
 * Whether a part of the page is to be shown. On the first page that is opened it follows as soon as what is around it
 * stands, in a render that gives way to whatever comes meanwhile, instead of keeping a slow phone busy for a second.
 */
export function useIsAfterFirstRender(): boolean {
  const [isAfter, setFollows] = useState(!isFirst);
  useEffect(() => startTransition(() => setFollows(true)), []);
  return isAfter;
}

/** So many items of a list are laid out in a task that a slow processor can bear; the others follow by as many. */
const itemsPerStep = 2;

/**
 * The items of a list: all of them, or on the first page that is opened a few at a time, as `useFollows` has it. What
 * comes below the list waits until it is whole, or else it would move.
 */
export function useIncrementalList<Item>(items: readonly Item[]): {
  shown: readonly Item[];
  isWhole: boolean;
} {
  const [visibleCount, setShown] = useState(isFirst ? itemsPerStep : Infinity);
  const isWhole = visibleCount >= items.length;
  useEffect(() => {
    const next = visibleCount + itemsPerStep;
    if (!isWhole) startTransition(() => setShown(next < items.length ? next : Infinity));
  }, [visibleCount, isWhole, items.length]);
  return { shown: isWhole ? items : items.slice(0, visibleCount), isWhole };
}
