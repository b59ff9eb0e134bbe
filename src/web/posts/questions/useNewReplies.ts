import { useCallback, useMemo, useState } from 'react';
import type { QuestionEvent } from '#shared/core/events.ts';
import type { NewReplies } from './question-page-context.ts';
import { anchorOf, type PostRef } from '#web/posts/post-ref.ts';
import { repliesElementId } from '#web/posts/reply-tree.ts';

type ReplyPosted = Extract<QuestionEvent, { kind: 'reply-posted' }>;

/**
 * Others' new replies that would push down what one reads: they are loaded, and left out until the member asks for them
 * (docs/product.md 16.6).
 * @param reveal brings one into view.
 */
export function useNewReplies(reveal: (post: PostRef) => void): {
  newReplies: NewReplies;
  /** Leaves one out where it would move what is below it. */
  leaveOut: (posted: ReplyPosted) => void;
  forget: (replyId: number) => void;
} {
  /** The answer of each, by its id. */
  const [pending, setPending] = useState<ReadonlyMap<number, number | null>>(new Map());
  const newReplies = useMemo<NewReplies>(() => {
    const idsIn = (answerId: number | null) =>
      [...pending].filter(([, answer]) => answer === answerId).map(([id]) => id);
    return {
      isPending: ({ id }) => pending.has(id),
      countPending: (answerId) => idsIn(answerId).length,
      show: (answerId) => {
        const [first] = idsIn(answerId);
        setPending((before) => new Map([...before].filter(([, answer]) => answer !== answerId)));
        if (first !== undefined) reveal({ kind: 'reply', id: first });
      },
    };
  }, [pending, reveal]);
  const holdBack = useCallback((posted: ReplyPosted) => {
    const moves = wouldPushDown(posted);
    setPending((before) => {
      const follows = posted.parentReplyId !== null && before.has(posted.parentReplyId);
      return moves || follows ? new Map(before).set(posted.replyId, posted.answerId) : before;
    });
  }, []);
  const forget = useCallback(
    (replyId: number) =>
      setPending((before) =>
        before.has(replyId) ? new Map([...before].filter(([id]) => id !== replyId)) : before,
      ),
    [],
  );
  return { newReplies, leaveOut: holdBack, forget };
}

/** Whether what stands below the place of a new reply, a post or a form, is in view. */
function wouldPushDown({ answerId, parentReplyId }: ReplyPosted): boolean {
  const parent = document.getElementById(anchorOf(parentPost(answerId, parentReplyId)));
  if (parent === null) return false;
  // It comes behind all that were there before it.
  const branch = document.getElementById(repliesElementId(parent.id));
  const above = [...(branch?.querySelectorAll('article') ?? [])].at(-1) ?? parent;
  const below = [...document.querySelectorAll('main article[id], main form')].find((each) => {
    const place = above.compareDocumentPosition(each);
    const isBehind = (place & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
    return isBehind && (place & Node.DOCUMENT_POSITION_CONTAINED_BY) === 0 && isVisible(each);
  });
  if (below === undefined) return false;
  const { top } = below.getBoundingClientRect();
  return top >= 0 && top < window.innerHeight - 80;
}

function parentPost(answerId: number | null, parentReplyId: number | null): PostRef {
  if (parentReplyId !== null) return { kind: 'reply', id: parentReplyId };
  return answerId === null ? { kind: 'question', id: 0 } : { kind: 'answer', id: answerId };
}

/** Not in a branch that is folded away. */
function isVisible(element: Element): boolean {
  return element.getClientRects().length > 0;
}
