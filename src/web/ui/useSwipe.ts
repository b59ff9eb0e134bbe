import { useRef, type PointerEvent } from 'react';

/** How far a finger moves before its direction is clear, in CSS pixels. */
const slackPx = 10;

/** The minimum length of a swipe, in CSS pixels. */
const minDistancePx = 72;

/** The width of the screen edge where the system's back gesture starts, in CSS pixels. */
const edgePx = 24;

type Handlers<E extends HTMLElement> = {
  onPointerDown: (event: PointerEvent<E>) => void;
  onPointerMove: (event: PointerEvent<E>) => void;
  onPointerUp: (event: PointerEvent<E>) => void;
  onPointerCancel: (event: PointerEvent<E>) => void;
};

/**
 * A swipe with one finger along an axis, as an alternative to a button. The element needs `touch-action` for the other
 * axis: the swipe ends when the page scrolls. Nothing moves with reduced motion.
 * @param axis 'inline' to either side, 'down' toward the bottom.
 * @param moves the element that moves with the finger; by default the swiped one.
 */
export function useSwipe<E extends HTMLElement>(
  axis: 'inline' | 'down',
  onSwiped: () => void,
  moves: (swiped: E) => HTMLElement | null = (swiped) => swiped,
): Handlers<E> {
  const from = useRef<{ id: number; x: number; y: number; far: number; going: boolean } | null>(null);

  function end(event: PointerEvent<E>) {
    const swipe = from.current;
    from.current = null;
    if (swipe?.going !== true) return;
    moves(event.currentTarget)?.style.removeProperty('translate');
    if (event.type !== 'pointerup') return;
    // The finger may be lifted from a link or a button, which must not be clicked.
    event.currentTarget.addEventListener('click', suppressClick, { capture: true, once: true });
    const target = event.currentTarget;
    setTimeout(() => target.removeEventListener('click', suppressClick, { capture: true }));
    if (Math.abs(swipe.far) >= minDistancePx) onSwiped();
  }

  return {
    onPointerDown(event) {
      const { clientX: x, clientY: y, pointerId: id } = event;
      const atEdge = axis === 'inline' && (x < edgePx || x > window.innerWidth - edgePx);
      if (event.pointerType !== 'touch' || !event.isPrimary || atEdge) return;
      from.current = { id, x, y, far: 0, going: false };
    },
    onPointerMove(event) {
      const swipe = from.current;
      if (swipe?.id !== event.pointerId) return;
      const across = event.clientX - swipe.x;
      const down = event.clientY - swipe.y;
      swipe.far = axis === 'inline' ? across : Math.max(0, down);
      const other = axis === 'inline' ? down : across;
      if (!swipe.going) {
        if (Math.max(Math.abs(across), Math.abs(down)) < slackPx) return;
        if (Math.abs(swipe.far) <= Math.abs(other)) {
          from.current = null;
          return;
        }
        swipe.going = true;
        event.currentTarget.setPointerCapture(event.pointerId);
      }
      if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
      const style = moves(event.currentTarget)?.style;
      style?.setProperty('translate', axis === 'inline' ? `${swipe.far}px` : `0 ${swipe.far}px`);
    },
    onPointerUp: end,
    onPointerCancel: end,
  };
}

function suppressClick(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}
