import { useEffect, useMemo } from 'react';
import type { QuestionPage } from '#shared/questions.ts';
import { onDraftCleared } from '#web/platform/drafts.ts';
import { useWaiting } from '#web/platform/waiting.ts';
import { takeLostFocus } from './lost-focus.ts';
import { anchorOf, type PostRef } from './post.ts';
import { hasForm, notPosted, postsAt, targetOf, type WaitingPost } from './waiting-posts.ts';
import { takeBack } from './take-back.ts';

/**
 * The member's posts at a question that are still to be sent or were refused; what the page shows as posted is not
 * among them. A refused one goes back into its form, as soon as that is there and empty.
 * @param openReply shows the form for a reply.
 */
export function useWaitingPosts({
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
}): readonly WaitingPost[] {
  const all = useWaiting(memberId);
  const { waiting, posted } = useMemo(() => {
    const mine = postsAt(questionId, all);
    return page === undefined ? { waiting: mine, posted: nothing } : notPosted(mine, page, memberId);
  }, [all, questionId, memberId, page]);

  useEffect(() => {
    const post = posted.get(takeLostFocus(posted) ?? '');
    if (post !== undefined) document.getElementById(anchorOf(post))?.focus({ preventScroll: true });
  }, [posted]);

  useEffect(() => {
    if (page === undefined) return;
    const takeBackRefused = () => {
      for (const post of waiting) {
        if (post.item.refused === null || post.data.orphaned === true || !hasForm(post, page)) continue;
        if (post.kind === 'reply' && replyingTo !== null) continue;
        if (!takeBack(memberId, post) || post.kind === 'answer') continue;
        openReply(targetOf(post.data));
        return;
      }
    };
    // Nothing comes into a field, and no form takes the focus, while one types.
    if (!(document.activeElement instanceof HTMLTextAreaElement)) takeBackRefused();
    return onDraftCleared(takeBackRefused);
  }, [memberId, waiting, page, replyingTo, openReply]);

  return waiting;
}
const nothing: ReadonlyMap<string, PostRef> = new Map();
