import { useDeferredValue, useLayoutEffect, type RefCallback } from 'react';

/**
 * The target of Mantine's Popover and Menu for a button outside them. The button is rendered before they are loaded and
 * stays the same element.
 */
export function ExternalTarget({
  button,
  ref,
}: {
  button: HTMLElement | null;
  /** Set by Popover.Target. */
  ref?: RefCallback<HTMLElement>;
}): null {
  useLayoutEffect(() => {
    if (ref === undefined) return;
    const forget = ref(button);
    return () => {
      if (typeof forget === 'function') forget();
      else ref(null);
    };
  }, [ref, button]);
  return null;
}

/**
 * Opens a popover or menu only after it was mounted closed: it remembers the focused element when it opens, to restore
 * the focus later.
 */
export function useOpenAfterMount(opened: boolean): boolean {
  return useDeferredValue(opened, false);
}

/** Loads the content of a button when the member is about to press it. */
export function preloadOnIntent(load: () => Promise<unknown>) {
  const begin = () => void load().catch(ignore);
  return { onPointerEnter: begin, onFocus: begin };
}

/** Opening it tries again. */
function ignore() {}
