import { useEffect, type RefObject } from 'react';

/**
 * When a phone's keyboard opens, the field that is typed in is brought above it, and is no higher than what is left:
 * `--visible` tells its style.
 */
export function useStayAboveKeyboard(field: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    const viewport = window.visualViewport;
    if (viewport === null) return;
    const reveal = () => {
      const element = field.current;
      if (element === null || document.activeElement !== element) return;
      element.style.setProperty('--visible', `${viewport.height}px`);
      const { top, bottom } = element.getBoundingClientRect();
      const visibleBottom = viewport.offsetTop + viewport.height;
      if (bottom > visibleBottom || top < viewport.offsetTop) element.scrollIntoView({ block: 'nearest' });
    };
    viewport.addEventListener('resize', reveal);
    return () => viewport.removeEventListener('resize', reveal);
  }, [field]);
}
