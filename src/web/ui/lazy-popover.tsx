import { useDeferredValue, useLayoutEffect, type RefCallback } from 'react';

/**
 * Stands where Mantine's Popover and Menu want their target, for a button outside of them: the button is there before
 * they are loaded, and stays the same when they are.
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

/** What floats is open only once it stands closed: it notes where the focus was when it opens, to give it back. */
export function useOpenAfterMount(opened: boolean): boolean {
  return useDeferredValue(opened, false);
}

/** Fetches what a button opens when somebody is about to press it. */
export function preloadOnIntent(load: () => Promise<unknown>) {
  const begin = () => void load().catch(ignore);
  return { onPointerEnter: begin, onFocus: begin };
}

/** It is tried again when it is needed. */
function ignore() {}
