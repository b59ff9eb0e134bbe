import { type KeyboardEvent, type PointerEvent, useState } from 'react';

/**
 * Selects a value of a chart with the pointer or the arrow keys, like a read-only slider. Left and right follow the
 * text direction.
 * @param indexAt the index at a position in the chart, x and y from 0 to 1, from the start of the text and from the
 * top; null if there is none.
 * @param across how many values the left and right arrows move; up and down move by one.
 */
export function useChartCursor(options: {
  count: number;
  across?: number;
  indexAt: (x: number, y: number) => number | null;
}) {
  const { count, across: stepAcross = 1, indexAt } = options;
  const [index, setIndex] = useState<number | null>(null);
  const last = count - 1;
  const current = index === null ? null : Math.min(index, last);

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const forward = isRtl(event.currentTarget) ? 'ArrowLeft' : 'ArrowRight';
    const from = current ?? last;
    const backward = forward === 'ArrowRight' ? 'ArrowLeft' : 'ArrowRight';
    const targets: Record<string, number | undefined> = {
      [forward]: from + stepAcross,
      [backward]: from - stepAcross,
      ArrowDown: from + 1,
      ArrowUp: from - 1,
      Home: 0,
      End: last,
    };
    const to = targets[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setIndex(Math.max(0, Math.min(last, to)));
  }

  function onPointer(event: PointerEvent<HTMLElement>) {
    const box = event.currentTarget.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width;
    const y = (event.clientY - box.top) / box.height;
    setIndex(indexAt(isRtl(event.currentTarget) ? 1 - x : x, y));
  }

  return {
    current,
    /** Props for the element that contains the chart. */
    handlers: {
      role: 'slider' as const,
      tabIndex: 0,
      'aria-valuemin': 0,
      'aria-valuemax': last,
      'aria-valuenow': current ?? last,
      onKeyDown,
      onPointerDown: onPointer,
      onPointerMove: onPointer,
      onPointerLeave: (event: PointerEvent) => {
        // Lifting a finger leaves the value selected.
        if (event.pointerType === 'mouse') setIndex(null);
      },
      onFocus: () => setIndex((before) => before ?? last),
      onBlur: () => setIndex(null),
    },
  };
}

function isRtl(element: HTMLElement): boolean {
  return getComputedStyle(element).direction === 'rtl';
}
