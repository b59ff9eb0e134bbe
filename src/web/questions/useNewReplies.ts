import { useCallback, useMemo, useState } from 'react';
import type { QuestionEvent } from '#shared/events.ts';
import type { NewReplies } from '#web/posts/page-context.ts';
import { anchorOf, type PostRef } from '#web/posts/post.ts';
import { branchId } from '#web/replies/thread.ts';

type Posted = Extract<QuestionEvent, { kind: 'reply-posted' }>;

/**
 * Others' new replies that would push down what one reads: they are loaded, and left out until the member asks for them
 * (docs/product.md 16.6).
 * @param reveal brings one into view.
 */
export function useNewReplies(reveal: (post: PostRef) => void): {
  newReplies: NewReplies;
  /** Leaves one out where it would move what is below it. */
  leaveOut: (posted: Posted) => void;
  forget: (replyId: number) => void;
} {
  /** The answer of each, by its id. */
  const [waiting, setWaiting] = useState<ReadonlyMap<number, number | null>>(new Map());
  const newReplies = useMemo<NewReplies>(() => {
    const idsIn = (answerId: number | null) =>
      [...waiting].filter(([, answer]) => answer === answerId).map(([id]) => id);
    return {
      isWaiting: ({ id }) => waiting.has(id),
      countIn: (answerId) => idsIn(answerId).length,
      show: (answerId) => {
        const [first] = idsIn(answerId);
        setWaiting((before) => new Map([...before].filter(([, answer]) => answer !== answerId)));
        if (first !== undefined) reveal({ kind: 'reply', id: first });
      },
    };
  }, [waiting, reveal]);
  const leaveOut = useCallback((posted: Posted) => {
    const moves = wouldPushDown(posted);
    setWaiting((before) => {
      const follows = posted.parentReplyId !== null && before.has(posted.parentReplyId);
      return moves || follows ? new Map(before).set(posted.replyId, posted.answerId) : before;
    });
  }, []);
  const forget = useCallback(
    (replyId: number) =>
      setWaiting((before) =>
        before.has(replyId) ? new Map([...before].filter(([id]) => id !== replyId)) : before,
      ),
    [],
  );
  return { newReplies, leaveOut, forget };
}

/** Whether what stands below the place of a new reply, a post or a form, is in view. */
function wouldPushDown({ answerId, parentReplyId }: Posted): boolean {
  const answered = document.getElementById(anchorOf(answeredBy(answerId, parentReplyId)));
  if (answered === null) return false;
  // It comes behind all that were there before it.
  const branch = document.getElementById(branchId(answered.id));
  const above = [...(branch?.querySelectorAll('article') ?? [])].at(-1) ?? answered;
  const below = [...document.querySelectorAll('main article[id], main form')].find((each) => {
    const place = above.compareDocumentPosition(each);
    const isBehind = (place & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
    return isBehind && (place & Node.DOCUMENT_POSITION_CONTAINED_BY) === 0 && isShown(each);
  });
  if (below === undefined) return false;
  const { top } = below.getBoundingClientRect();
  return top >= 0 && top < window.innerHeight - 80;
}

function answeredBy(answerId: number | null, parentReplyId: number | null): PostRef {
  if (parentReplyId !== null) return { kind: 'reply', id: parentReplyId };
  return answerId === null ? { kind: 'question', id: 0 } : { kind: 'answer', id: answerId };
}

/** Not in a branch that is folded away. */
function isShown(element: Element): boolean {
  return element.getClientRects().length > 0;
}
