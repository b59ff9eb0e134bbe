import { useCallback, useEffect, useRef, useState } from 'react';
import { anchorOf } from '#web/posts/post-ref.ts';
import type { PostRef } from '#shared/core/fields.ts';

/**
 * Scrolls to posts and focuses them, also posts that are not rendered yet or are in a collapsed branch. Does nothing if
 * the member is writing by then.
 * @param content changes whenever the page renders other content.
 * @param openBranches expands the replies below posts, identified by their anchors.
 */
export function useReveal(
  content: unknown,
  openBranches: (anchors: readonly string[]) => void,
): (post: PostRef | string) => void {
  const target = useRef<PostRef | string | null>(null);
  const [attempts, setAttempts] = useState(0);
  const revealTarget = useCallback(() => {
    if (target.current === null) return;
    const element = document.getElementById(
      typeof target.current === 'string' ? target.current : anchorOf(target.current),
    );
    if (element === null) return;
    const closed = collapsedBranchesAround(element);
    if (closed.length > 0) {
      openBranches(closed);
      setAttempts((count) => count + 1);
      return;
    }
    target.current = null;
    if (isWriting()) return;
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: isTall(element) ? 'start' : 'nearest' });
  }, [openBranches]);

  useEffect(revealTarget, [revealTarget, content, attempts]);
  return useCallback((post) => {
    target.current = post;
    // Runs after the current state has been rendered.
    setAttempts((count) => count + 1);
  }, []);
}

/** The collapsed branches that hide an element (app/question-page/ReplyThread.tsx). */
function collapsedBranchesAround(element: HTMLElement): string[] {
  const anchors: string[] = [];
  for (
    let branch = element.closest<HTMLElement>('[data-branch][hidden]');
    branch !== null;
    branch = branch.parentElement?.closest<HTMLElement>('[data-branch][hidden]') ?? null
  )
    anchors.push(branch.dataset['branch'] ?? '');
  return anchors;
}

/** Whether the member writes in a form of the page, which must not lose the focus. */
export const isWriting = () => document.activeElement?.matches('main textarea, main input') === true;

function isTall(element: HTMLElement): boolean {
  return element.getBoundingClientRect().height > window.innerHeight * 0.6;
}
