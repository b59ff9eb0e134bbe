import { useEffect, useMemo } from 'react';
import type { QuestionPage } from '#shared/posts/questions.ts';
import { onDraftCleared, prefillDraft } from '#web/posts/drafts/useDraft.ts';
import { dequeueAction, useOfflineQueue } from '#web/core/offline-queue.ts';
import { anchorOf, type PostRef } from '#web/posts/post-ref.ts';
import { hasForm, listQueuedPosts, type QueuedPost, replyTarget, splitPosted } from './queued-posts.ts';
import { draftTargets } from '#shared/posts/drafts-targets.ts';

/**
 * The member's posts at a question that are still to be sent or were refused; what the page shows as posted is not
 * among them. A refused one goes back into its form, as soon as that is there and empty.
 * @param openReply shows the form for a reply.
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
  page: QuestionPage | undefined;
  replyingTo: PostRef | null;
  openReply: (target: PostRef) => void;
}): readonly QueuedPost[] {
  const all = useOfflineQueue(memberId);
  const { waiting: queued, posted } = useMemo(() => {
    const mine = listQueuedPosts(questionId, all);
    return page === undefined ? { waiting: mine, posted: noPosts } : splitPosted(mine, page, memberId);
  }, [all, questionId, memberId, page]);

  useEffect(() => {
    const post = posted.get(takeLostFocusKey(posted) ?? '');
    if (post !== undefined) document.getElementById(anchorOf(post))?.focus({ preventScroll: true });
  }, [posted]);

  useEffect(() => {
    if (page === undefined) return;
    const restoreRefused = () => {
      for (const post of queued) {
        if (post.item.refusalReason === null || post.data.orphaned === true || !hasForm(post, page)) continue;
        if (post.kind === 'reply' && replyingTo !== null) continue;
        if (!restoreAsDraft(memberId, post) || post.kind === 'answer') continue;
        openReply(replyTarget(post.data));
        return;
      }
    };
    // Nothing comes into a field, and no form takes the focus, while one types.
    if (!(document.activeElement instanceof HTMLTextAreaElement)) restoreRefused();
    return onDraftCleared(restoreRefused);
  }, [memberId, queued, page, replyingTo, openReply]);

  return queued;
}
const noPosts: ReadonlyMap<string, PostRef> = new Map();

/**
 * Makes it the draft of its form again; false where that holds another one. Apart from what sends such posts, which every
 * page has: drafts come with the pages that have forms.
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

/** The key of the waiting post that had the focus when it went. */
let lostFocusKey: string | null = null;

export function rememberLostFocus(key: string): void {
  lostFocusKey = key;
}

/** The key, once, when the post that had the focus is among those; null too when something else has it by now. */
export function takeLostFocusKey(among: ReadonlyMap<string, unknown>): string | null {
  if (lostFocusKey === null || !among.has(lostFocusKey)) return null;
  const key = lostFocusKey;
  lostFocusKey = null;
  return document.activeElement === document.body ? key : null;
}
