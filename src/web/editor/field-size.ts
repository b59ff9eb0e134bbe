import { type RefObject, useEffect, useLayoutEffect } from 'react';
import classes from './field.module.css';

/**
 * When the on-screen keyboard opens, scrolls the focused field above it and limits its height to the visible part,
 * which the style gets as `--visible`. A field that grows on focus, so that it is no longer compact, is scrolled into
 * view as well.
 */
export function useStayAboveKeyboard(field: RefObject<HTMLTextAreaElement | null>, isCompact: boolean): void {
  useEffect(() => {
    const viewport = window.visualViewport;
    if (viewport === null) return;
    const reveal = () => revealField(field.current, viewport);
    viewport.addEventListener('resize', reveal);
    return () => viewport.removeEventListener('resize', reveal);
  }, [field]);
  useLayoutEffect(() => {
    if (!isCompact && window.visualViewport !== null) revealField(field.current, window.visualViewport);
  }, [field, isCompact]);
}

function revealField(element: HTMLTextAreaElement | null, viewport: VisualViewport): void {
  if (element === null || document.activeElement !== element) return;
  element.style.setProperty('--visible', `${viewport.height}px`);
  // With its buttons, if they fit.
  element.closest(`.${classes.editor}`)?.scrollIntoView({ block: 'nearest' });
  element.scrollIntoView({ block: 'nearest' });
}

/** In UTF-16 units. A longer text reaches the maximum height in any window. */
const maxMeasuredLength = 6000;

/** Grows the field with its text up to the limit of its style, in browsers without `field-sizing`. */
export function useAutoGrow(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const element = field.current;
    // Measuring forces a layout with every key, so it is skipped when the height cannot change.
    if (element === null || CSS.supports('field-sizing', 'content')) return;
    if (text.length > maxMeasuredLength && element.style.blockSize !== '') return;
    element.style.setProperty('block-size', 'auto');
    element.style.setProperty('block-size', `${element.scrollHeight}px`);
  }, [field, text]);
}

/** A notice above a field pushes it down. Scrolls the field that the member types in back into view. */
export function keepFieldInView(note: HTMLElement | null): void {
  const form = note?.closest('form');
  if (note == null || form == null || !form.contains(document.activeElement)) return;
  const { top, height } = note.getBoundingClientRect();
  const margin = Number.parseFloat(getComputedStyle(note).marginBlockEnd);
  if (top + height > 0) window.scrollBy({ top: height + margin, behavior: 'instant' });
}
