import { useEffect, useMemo } from 'react';
import type { QuestionPageData } from '#shared/posts/questions.ts';
import { onDraftCleared, prefillDraft } from '#web/posts/drafts/useDraft.ts';
import { dequeueAction, useOfflineQueue } from '#web/core/offline-queue.ts';
import { anchorOf } from '#web/posts/post-ref.ts';
import type { PostRef } from '#shared/core/fields.ts';
import {
  isFormOnPage,
  listQueuedPosts,
  type QueuedPost,
  replyTarget,
  separatePublishedPosts,
} from './queued-posts.ts';
import { draftTargets } from '#shared/posts/drafts-targets.ts';

/**
 * The member's queued and refused posts for a question, without those the page already shows as published. A refused
 * post returns into its form as soon as that form is there and empty.
 * @param openReply opens the form of a reply.
 */
export function useQueuedPosts({
  questionId,
  memberId,
  page,
  replyingTo,
  openReply,
}: {
  questionId: number;
  memberId: number;
  page: QuestionPageData | undefined;
  replyingTo: PostRef | null;
  openReply: (target: PostRef) => void;
}): readonly QueuedPost[] {
  const all = useOfflineQueue(memberId);
  const { queued, posted } = useMemo(() => {
    const queuedHere = listQueuedPosts(questionId, all);
    return page === undefined
      ? { queued: queuedHere, posted: noPosts }
      : separatePublishedPosts(queuedHere, page, memberId);
  }, [all, questionId, memberId, page]);

  useEffect(() => {
    const post = posted.get(takeLostFocusKey(posted) ?? '');
    if (post !== undefined) document.getElementById(anchorOf(post))?.focus({ preventScroll: true });
  }, [posted]);

  useEffect(() => {
    if (page === undefined) return;
    const restoreRefused = () => {
      for (const post of queued) {
        if (post.item.refusalReason === null || post.data.orphaned === true || !isFormOnPage(post, page))
          continue;
        if (post.kind === 'reply' && replyingTo !== null) continue;
        if (!restoreAsDraft(memberId, post) || post.kind === 'answer') continue;
        openReply(replyTarget(post.data));
        return;
      }
    };
    // While the member types, no text is restored and no form takes the focus.
    if (!(document.activeElement instanceof HTMLTextAreaElement)) restoreRefused();
    return onDraftCleared(restoreRefused);
  }, [memberId, queued, page, replyingTo, openReply]);

  return queued;
}
const noPosts: ReadonlyMap<string, PostRef> = new Map();

/**
 * Turns a queued post into the draft of its form again; returns false if the form has another draft. Separate from the
 * code that sends queued posts: every page has that, but only pages with forms have drafts.
 */
export function restoreAsDraft(memberId: number, post: QueuedPost): boolean {
  const { content, key } = post.data;
  const refused = post.item.refusalReason === null ? {} : { refused: post.item.refusalReason };
  if (!prefillDraft(memberId, draftTargetOf(post), { content, key, ...refused })) return false;
  dequeueAction(memberId, post.item);
  return true;
}

function draftTargetOf(post: QueuedPost): string {
  if (post.kind === 'answer') return draftTargets.answer(post.data.questionId);
  return draftTargets.reply(replyTarget(post.data));
}

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
