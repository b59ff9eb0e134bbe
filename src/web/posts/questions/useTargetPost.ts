import { useLocation } from '#web/core/router.ts';
import { useEffect, useMemo, useRef } from 'react';
import type { QuestionPageData } from '#shared/posts/questions.ts';
import { useIsHydrating } from '#web/core/hydration.ts';
import { anchorOf, parsePostHash } from '#web/posts/post-ref.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { findPost } from './question-page-data.ts';
import type { QuestionCache } from './question-cache.ts';

/** How many pages of answers and replies are loaded to find the post in the address. */
const maxPagesSearched = 40;

/**
 * The post in the address (`#answer-12`, `#reply-34`, `#question`): scrolls to it, and first loads it if it is behind
 * 'Load more'.
 */
export function useTargetPost(
  questionId: number,
  page: QuestionPageData | undefined,
  cache: QuestionCache,
  reveal: (post: PostRef) => void,
): PostRef | null {
  const { hash } = useLocation();
  // Browsers do not send the hash to the server.
  const isHydrating = useIsHydrating();
  const isFirst = useRef(isHydrating);
  const target = useMemo(
    () => (isHydrating ? null : parsePostHash(hash, questionId)),
    [hash, questionId, isHydrating],
  );
  const loaded = page !== undefined;
  useEffect(() => {
    if (target === null || !loaded) return;
    let current = true;
    const find = async () => {
      await loadUntilFound(cache, target, () => current);
      if (!current) return;
      const isShown = isFirst.current && hasScrolledBefore(target);
      isFirst.current = false;
      if (!isShown) reveal(target);
      // The post was written after this page was loaded.
      const page = cache.read();
      if (page !== undefined && findPost(page, target) === undefined) await cache.refresh();
    };
    void find();
    return () => {
      current = false;
    };
  }, [target, loaded, cache, reveal]);
  return target;
}

/**
 * Returns whether the page has scrolled before hydration: the browser to the post, which then gets the focus, or the
 * reader to another place. False if the post is not visible on the page.
 */
function hasScrolledBefore(post: PostRef): boolean {
  const element = document.getElementById(anchorOf(post));
  if (element === null || element.offsetParent === null) return false;
  const isTarget = element.matches(':target');
  if (isTarget && document.activeElement === document.body) element.focus({ preventScroll: true });
  return isTarget || window.scrollY > 0;
}

async function loadUntilFound(cache: QuestionCache, post: PostRef, wanted: () => boolean): Promise<void> {
  for (let pages = 0; pages < maxPagesSearched && wanted(); pages++) {
    const page = cache.read();
    if (page === undefined || findPost(page, post) !== undefined) return;
    try {
      if (!(await loadNext(cache, page, post))) return;
    } catch {
      // The pages loaded so far stay. 'Load more' shows the error when it is pressed.
      return;
    }
  }
}

/** Returns false when everything has been loaded. */
async function loadNext(cache: QuestionCache, page: QuestionPageData, post: PostRef): Promise<boolean> {
  if (post.kind === 'reply') {
    if (page.replies.nextCursor !== null) {
      await cache.loadMoreReplies(null);
      return true;
    }
    const open = page.answers.items.find((answer) => answer.replies.nextCursor !== null);
    if (open !== undefined) {
      await cache.loadMoreReplies(open.id);
      return true;
    }
  }
  if (page.answers.nextCursor === null) return false;
  await cache.loadMoreAnswers();
  return true;
}
