import { useLayoutEffect } from 'react';

/** What the style sheets of the page and its scrolling depend on: an open dialog, a banner, a page about an outage. */
type RootAttribute = 'data-dialog' | 'data-banner' | 'data-outage';

const counts = new Map<RootAttribute, number>();

/**
 * Sets an attribute of the html element while a mounted component wants it. `html:has(…)` in a style sheet would do the
 * same, but a browser would compute the styles of the whole page again after every change to the document, such as each
 * typed character.
 */
export function useRootAttribute(name: RootAttribute, isWanted: boolean): void {
  useLayoutEffect(() => {
    if (!isWanted) return undefined;
    change(name, 1);
    return () => change(name, -1);
  }, [name, isWanted]);
}

function change(name: RootAttribute, difference: 1 | -1): void {
  const count = (counts.get(name) ?? 0) + difference;
  counts.set(name, count);
  document.documentElement.toggleAttribute(name, count > 0);
}
