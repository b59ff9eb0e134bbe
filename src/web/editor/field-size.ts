import { type RefObject, useEffect, useLayoutEffect } from 'react';

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

/** UTF-16 units. A text of such a length fills the field to its highest in any window. */
const maxMeasuredLength = 6000;

/** The field is as high as its text, up to its style's limit: where the browser does not do that by itself. */
export function useAutoGrow(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const element = field.current;
    // Measuring costs a layout for every key: not where nothing can change by it.
    if (element === null || CSS.supports('field-sizing', 'content')) return;
    if (text.length > maxMeasuredLength && element.style.blockSize !== '') return;
    element.style.setProperty('block-size', 'auto');
    element.style.setProperty('block-size', `${element.scrollHeight}px`);
  }, [field, text]);
}
