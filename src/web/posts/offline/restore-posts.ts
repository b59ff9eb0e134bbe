import { useEffect } from 'react';
import { draftTargets } from '#shared/posts/drafts-targets.ts';
import type { QuestionPageData } from '#shared/posts/questions.ts';
import { dequeueAction } from '#web/core/offline-queue.ts';
import { onDraftCleared, prefillDraft } from '#web/posts/drafts/useDraft.ts';
import { useReplying } from '#web/posts/questions/replying-to.tsx';
import { isFormOnPage, type QueuedPost, replyTarget } from './queued-posts.ts';

/**
 * Returns a refused post into its form as soon as that form is there and empty. Shows nothing.
 */
export function RestoreRefusedPosts({
  queued,
  memberId,
  page,
}: {
  queued: readonly QueuedPost[];
  memberId: number;
  page: QuestionPageData | undefined;
}): null {
  const { replyingTo, setReplyingTo, saveReplyingTo } = useReplying();
  useEffect(() => {
    if (page === undefined) return;
    const restoreRefused = () => {
      for (const post of queued) {
        if (post.item.refusalReason === null || post.data.orphaned === true || !isFormOnPage(post, page))
          continue;
        if (post.kind === 'reply' && replyingTo !== null) continue;
        if (!restoreAsDraft(memberId, post) || post.kind === 'answer') continue;
        const target = replyTarget(post.data);
        setReplyingTo(target);
        saveReplyingTo(target);
        return;
      }
    };
    // While the member types, no text is restored and no form takes the focus.
    if (!(document.activeElement instanceof HTMLTextAreaElement)) restoreRefused();
    return onDraftCleared(restoreRefused);
  }, [memberId, queued, page, replyingTo, setReplyingTo, saveReplyingTo]);
  return null;
}

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
