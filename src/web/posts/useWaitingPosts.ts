import { useEffect, useMemo } from 'react';
import type { QuestionPage } from '#shared/questions.ts';
import { onDraftCleared } from '#web/platform/drafts.ts';
import { useOfflineQueue } from '#web/platform/waiting.ts';
import { takeLostFocusKey } from './lost-focus.ts';
import { anchorOf, type PostRef } from './post.ts';
import { hasForm, splitPosted, listQueuedPosts, replyTarget, type QueuedPost } from './waiting-posts.ts';
import { restoreAsDraft } from './take-back.ts';

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
