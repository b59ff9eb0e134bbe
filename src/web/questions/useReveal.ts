import { useCallback, useEffect, useRef, useState } from 'react';
import { anchorOf, type PostRef } from '#web/posts/post.ts';

/**
 * Brings posts into view and focuses them, also ones that are about to appear, or are folded away.
 * @param shown changes whenever the page shows something else.
 * @param openBranches shows the replies below these posts, named by their anchors.
 */
export function useReveal(
  shown: unknown,
  openBranches: (anchors: readonly string[]) => void,
): (post: PostRef | string) => void {
  const wanted = useRef<PostRef | string | null>(null);
  const [asked, setAsked] = useState(0);
  const tryNow = useCallback(() => {
    if (wanted.current === null) return;
    const element = document.getElementById(
      typeof wanted.current === 'string' ? wanted.current : anchorOf(wanted.current),
    );
    if (element === null) return;
    const closed = closedAround(element);
    if (closed.length > 0) {
      openBranches(closed);
      setAsked((count) => count + 1);
      return;
    }
    wanted.current = null;
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: isTall(element) ? 'start' : 'nearest' });
  }, [openBranches]);

  useEffect(tryNow, [tryNow, shown, asked]);
  return useCallback((post) => {
    wanted.current = post;
    // Runs after what is being shown now has been rendered.
    setAsked((count) => count + 1);
  }, []);
}

/** The branches that hide an element (replies/Thread.tsx). */
function closedAround(element: HTMLElement): string[] {
  const anchors: string[] = [];
  for (
    let branch = element.closest<HTMLElement>('[data-branch][hidden]');
    branch !== null;
    branch = branch.parentElement?.closest<HTMLElement>('[data-branch][hidden]') ?? null
  )
    anchors.push(branch.dataset['branch'] ?? '');
  return anchors;
}

function isTall(element: HTMLElement): boolean {
  return element.getBoundingClientRect().height > window.innerHeight * 0.6;
}
