import { useEffect } from 'react';
import { afterPaint } from '#web/core/after-paint.ts';

/** No bar of a browser that comes and goes is as high, and no keyboard as low, in CSS pixels. */
const minKeyboardHeightPx = 120;

/**
 * Marks the page with `data-keyboard` while the keyboard of the screen is up: then the bar at the bottom steps aside.
 * Browsers tell of it only by the height that is left (`interactive-widget=resizes-content` in index.html).
 */
export function useOnScreenKeyboard(): void {
  useEffect(() => {
    const view = window.visualViewport;
    if (view === null) return;
    const root = document.documentElement;
    let width = 0;
    let fullHeight = 0;
    const update = () => {
      // Of a page made larger with two fingers, less is in view as well.
      const height = view.height * view.scale;
      if (width !== window.innerWidth) fullHeight = 0;
      width = window.innerWidth;
      fullHeight = Math.max(fullHeight, height);
      // Until it is gone: a bar that comes as soon as a button takes the focus would stand under the finger.
      const typing = root.hasAttribute('data-keyboard') || isTyping();
      root.toggleAttribute('data-keyboard', typing && fullHeight - height > minKeyboardHeightPx);
    };
    const ending = new AbortController();
    const { signal } = ending;
    const cancel = afterPaint(update);
    view.addEventListener('resize', update, { signal });
    document.addEventListener('focusin', update, { signal });
    return () => {
      cancel();
      ending.abort();
      root.removeAttribute('data-keyboard');
    };
  }, []);
}

function isTyping(): boolean {
  const field = document.activeElement;
  if (field instanceof HTMLTextAreaElement) return true;
  return (
    field instanceof HTMLInputElement && !/^(button|checkbox|file|radio|range|submit)$/u.test(field.type)
  );
}
