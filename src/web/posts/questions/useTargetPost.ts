import { useLocation, useRouter } from '#web/core/router.ts';
import { withListStart } from '#web/ui/list-address.ts';
import { useEffect, useMemo, useRef } from 'react';
import type { QuestionPageData } from '#shared/posts/questions.ts';
import { useIsHydrating } from '#web/core/hydration.ts';
import { anchorOf, parsePostHash } from '#web/posts/post-ref.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { findPost } from './question-page-data.ts';
import type { QuestionCache } from './question-cache.ts';

/**
 * The post in the address (`#answer-12`, `#reply-34`, `#question`): scrolls to it, and first loads it if the page lacks
 * it. An answer behind 'Load more' gets an address of its own, with the answers from there on.
 * @param page undefined while it loads
 */
export function useTargetPost(
  questionId: number,
  page: QuestionPageData | undefined,
  cache: QuestionCache,
  reveal: (post: PostRef) => void,
): PostRef | null {
  const router = useRouter();
  const { hash } = useLocation();
  // Browsers do not send the hash to the server.
  const isHydrating = useIsHydrating();
  const isFirst = useRef(isHydrating);
  const target = useMemo(
    () => (isHydrating ? null : parsePostHash(hash, questionId)),
    [hash, questionId, isHydrating],
  );
  /** The post that was shown, or that a message was about. */
  const ended = useRef<PostRef>(null);
  const loaded = page !== undefined;
  useEffect(() => {
    if (target === null || !loaded) return;
    let current = true;
    const openPage = (start: string | null) =>
      router.replaceAddress({ search: withListStart(router.location.search, start) });
    const find = async () => {
      // The answers before it may have been loaded since.
      if (ended.current === target) return;
      const isFirstTry = isFirst.current;
      isFirst.current = false;
      const page = cache.read();
      const isMissing = page !== undefined && findPost(page, target) === undefined;
      const isHere = !isMissing || (await cache.findPost(target, () => current, openPage));
      if (!current || isHere === null) return;
      ended.current = target;
      if (isHere && (!isFirstTry || !hasScrolledBefore(target))) reveal(target);
    };
    void find();
    // The same link is followed again: its post may not have loaded.
    const unsubscribe = router.onNavigated(({ from, to, action }) => {
      if (from.hash === to.hash && (action === 'push' || from.href === to.href)) {
        ended.current = null;
        void find();
      }
    });
    return () => {
      current = false;
      unsubscribe();
    };
  }, [target, loaded, cache, reveal, router]);
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
