import { useLayoutEffect, type RefObject } from 'react';

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
