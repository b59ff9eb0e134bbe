import { useEffect } from 'react';
import { afterPaint } from '#web/core/timing.ts';

/** In CSS pixels. Collapsing browser toolbars are lower, on-screen keyboards are higher. */
const minKeyboardHeightPx = 120;

/**
 * Sets `data-keyboard` on the page while the on-screen keyboard is open, which hides the bottom bar. Browsers report
 * the keyboard only by the remaining height (`interactive-widget=resizes-content` in index.html).
 */
export function useOnScreenKeyboard(): void {
  useEffect(() => {
    const view = window.visualViewport;
    if (view === null) return;
    const root = document.documentElement;
    let width = 0;
    let fullHeight = 0;
    const update = () => {
      // Pinch zoom also reduces the visible height.
      const height = view.height * view.scale;
      if (width !== window.innerWidth) fullHeight = 0;
      width = window.innerWidth;
      fullHeight = Math.max(fullHeight, height);
      // Stays set until the keyboard is closed: a bar that appeared as soon as a button takes the focus would be under
      // the finger.
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
