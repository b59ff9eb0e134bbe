import { useCallback, useEffect, useRef, useState } from 'react';
import { anchorOf, type PostRef } from '#web/posts/post.ts';

/**
 * Brings posts into view and focuses them, also ones that are about to appear.
 * @param shown changes whenever the page shows something else.
 */
export function useReveal(shown: unknown): (post: PostRef | string) => void {
  const wanted = useRef<PostRef | string | null>(null);
  const tryNow = useCallback(() => {
    if (wanted.current === null) return;
    const element = document.getElementById(
      typeof wanted.current === 'string' ? wanted.current : anchorOf(wanted.current),
    );
    if (element === null) return;
    wanted.current = null;
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: isTall(element) ? 'start' : 'nearest' });
  }, []);

  const [asked, setAsked] = useState(0);
  useEffect(tryNow, [tryNow, shown, asked]);
  return useCallback((post) => {
    wanted.current = post;
    // Runs after what is being shown now has been rendered.
    setAsked((count) => count + 1);
  }, []);
}

function isTall(element: HTMLElement): boolean {
  return element.getBoundingClientRect().height > window.innerHeight * 0.6;
}
