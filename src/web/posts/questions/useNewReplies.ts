import { useCallback, useMemo, useState } from 'react';
import type { QuestionEvent } from '#shared/core/events.ts';
import type { NewReplies } from './question-page-context.ts';
import { anchorOf } from '#web/posts/post-ref.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { repliesElementId } from '#web/posts/reply-tree.ts';

type ReplyPosted = Extract<QuestionEvent, { kind: 'reply-posted' }>;

/**
 * Holds back new replies by others that would push down the text being read. They are loaded but hidden until the
 * member asks for them (docs/product.md 16.6).
 * @param reveal scrolls to a post.
 */
export function useNewReplies(reveal: (post: PostRef) => void): {
  newReplies: NewReplies;
  /** Holds back a new reply if it would move content below it. */
  holdBack: (posted: ReplyPosted) => void;
  forget: (replyId: number) => void;
} {
  /** Reply id to answer id. */
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
  return { newReplies, holdBack, forget };
}

/** Whether a post or a form below the position of a new reply is in view. */
function wouldPushDown({ answerId, parentReplyId }: ReplyPosted): boolean {
  const parent = document.getElementById(anchorOf(parentPost(answerId, parentReplyId)));
  if (parent === null) return false;
  // A new reply comes after all earlier ones.
  const branch = document.getElementById(repliesElementId(parent.id));
  const above = [...(branch?.querySelectorAll('article') ?? [])].at(-1) ?? parent;
  // The new reply is collapsed as well.
  if (!isVisible(above)) return false;
  const below = [...document.querySelectorAll('main article[id], main form')].find((each) => {
    const relation = above.compareDocumentPosition(each);
    const isBehind = (relation & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
    return isBehind && (relation & Node.DOCUMENT_POSITION_CONTAINED_BY) === 0 && isVisible(each);
  });
  if (below === undefined) return false;
  const { top } = below.getBoundingClientRect();
  return top >= 0 && top < window.innerHeight - 80;
}

function parentPost(answerId: number | null, parentReplyId: number | null): PostRef {
  if (parentReplyId !== null) return { kind: 'reply', id: parentReplyId };
  return answerId === null ? { kind: 'question', id: 0 } : { kind: 'answer', id: answerId };
}

/** Whether the element is not inside a collapsed branch. */
function isVisible(element: Element): boolean {
  return element.getClientRects().length > 0;
}
