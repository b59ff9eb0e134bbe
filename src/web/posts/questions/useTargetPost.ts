import { useLocation } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import type { QuestionPage } from '#shared/posts/questions.ts';
import { parsePostHash, type PostRef } from '#web/posts/post-ref.ts';
import { findPost } from './question-page-data.ts';
import type { QuestionCache } from './question-cache.ts';

/** Pages of answers and replies that are loaded to find the post an address names. */
const maxPagesSearched = 40;

/**
 * The post that the address names (`#answer-12`, `#reply-34`, `#question`): brought into view, loaded first where it
 * stands behind 'Load more'.
 */
export function useTargetPost(
  questionId: number,
  page: QuestionPage | undefined,
  cache: QuestionCache,
  reveal: (post: PostRef) => void,
): PostRef | null {
  const { hash } = useLocation();
  const target = useMemo(() => parsePostHash(hash, questionId), [hash, questionId]);
  const loaded = page !== undefined;
  useEffect(() => {
    if (target === null || !loaded) return;
    let current = true;
    const find = async () => {
      await loadUntilFound(cache, target, () => current);
      if (!current) return;
      reveal(target);
      // A post that was written after this page was loaded.
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

async function loadUntilFound(cache: QuestionCache, post: PostRef, wanted: () => boolean): Promise<void> {
  for (let pages = 0; pages < maxPagesSearched && wanted(); pages++) {
    const page = cache.read();
    if (page === undefined || findPost(page, post) !== undefined) return;
    try {
      if (!(await loadNext(cache, page, post))) return;
    } catch {
      // What is loaded stays; 'Load more' says what is wrong when it is pressed.
      return;
    }
  }
}

/** False when all there is has been loaded. */
async function loadNext(cache: QuestionCache, page: QuestionPage, post: PostRef): Promise<boolean> {
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
