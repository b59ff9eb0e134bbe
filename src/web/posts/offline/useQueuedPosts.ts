import { useEffect, useMemo } from 'react';
import type { QuestionPageData } from '#shared/posts/questions.ts';
import { useOfflineQueue } from '#web/core/offline-queue.ts';
import { anchorOf } from '#web/posts/post-ref.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { listQueuedPosts, type QueuedPost, separatePublishedPosts } from './queued-posts.ts';

/** The member's queued and refused posts for a question, without those the page already shows as published. */
export function useQueuedPosts({
  questionId,
  memberId,
  page,
}: {
  questionId: number;
  memberId: number;
  page: QuestionPageData | undefined;
}): readonly QueuedPost[] {
  const all = useOfflineQueue(memberId);
  const queuedHere = useMemo(() => listQueuedPosts(questionId, all), [questionId, all]);
  const { queued, posted } = useMemo(
    () =>
      page === undefined
        ? { queued: queuedHere, posted: noPosts }
        : separatePublishedPosts(queuedHere, page, memberId),
    [queuedHere, memberId, page],
  );

  useEffect(() => {
    const post = posted.get(takeLostFocusKey(posted) ?? '');
    if (post !== undefined) document.getElementById(anchorOf(post))?.focus({ preventScroll: true });
  }, [posted]);

  return queued;
}
const noPosts: ReadonlyMap<string, PostRef> = new Map();

/** The key of the queued post that had the focus when it was removed. */
let lostFocusKey: string | null = null;

export function rememberLostFocus(key: string): void {
  lostFocusKey = key;
}

/**
 * Returns the key once if the post that had the focus is among the given ones; null if another element has the focus by
 * now.
 */
export function takeLostFocusKey(among: ReadonlyMap<string, unknown>): string | null {
  if (lostFocusKey === null || !among.has(lostFocusKey)) return null;
  const key = lostFocusKey;
  lostFocusKey = null;
  return document.activeElement === document.body ? key : null;
}
