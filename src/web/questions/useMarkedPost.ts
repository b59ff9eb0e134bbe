import { useLocation } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import type { QuestionPage } from '#shared/questions.ts';
import { postOfHash, type PostRef } from '#web/posts/post.ts';
import { findPost } from '#web/posts/question-page.ts';
import type { QuestionCache } from '#web/posts/question-query.ts';

/** Pages of answers and replies that are loaded to find the post an address names. */
const pagesSearched = 40;

/**
 * The post that the address names (`#answer-12`, `#reply-34`, `#question`): brought into view, loaded first where it
 * stands behind 'Load more'.
 */
export function useMarkedPost(
  questionId: number,
  page: QuestionPage | undefined,
  cache: QuestionCache,
  reveal: (post: PostRef) => void,
): PostRef | null {
  const { hash } = useLocation();
  const marked = useMemo(() => postOfHash(hash, questionId), [hash, questionId]);
  const loaded = page !== undefined;
  useEffect(() => {
    if (marked === null || !loaded) return;
    let current = true;
    const find = async () => {
      await loadUntilFound(cache, marked, () => current);
      if (!current) return;
      reveal(marked);
      // A post that was written after this page was loaded.
      const page = cache.read();
      if (page !== undefined && findPost(page, marked) === undefined) await cache.refresh();
    };
    void find();
    return () => {
      current = false;
    };
  }, [marked, loaded, cache, reveal]);
  return marked;
}

async function loadUntilFound(cache: QuestionCache, post: PostRef, wanted: () => boolean): Promise<void> {
  for (let pages = 0; pages < pagesSearched && wanted(); pages++) {
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
    if (page.comments.nextCursor !== null) {
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
