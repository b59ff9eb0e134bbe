import { useMemo, useState } from 'react';
import { useDraft } from '#web/platform/drafts.ts';
import type { QuestionPageContext } from '#web/posts/page-context.ts';
import { anchorOf, type PostRef } from '#web/posts/post.ts';

/**
 * Which reply form is open. One that something was typed in opens again after a reload.
 * @param opening the place of a draft whose form is to be open.
 * @param openBranches shows the replies below posts: who replies sees what was said.
 */
export function useReplyingTo(
  questionId: number,
  memberId: number,
  { opening, openBranches }: { opening: string | null; openBranches: (anchors: readonly string[]) => void },
): Pick<QuestionPageContext, 'replyingTo' | 'setReplyingTo' | 'saveReplyingTo'> {
  const { draft, setDraft } = useDraft<{ post: string | null }>({
    target: `replying:${questionId}`,
    memberId,
    initial: () => ({ post: null }),
    isEmpty: ({ post }) => post === null,
  });
  const [replyingTo, open] = useState(() =>
    parsePostRef(/^reply:(.+)$/u.exec(opening ?? '')?.[1] ?? draft.post),
  );
  return useMemo(
    () => ({
      replyingTo,
      setReplyingTo: (post) => {
        open(post);
        if (post !== null) openBranches([anchorOf(post)]);
        setDraft({ post: null });
      },
      saveReplyingTo: (post) => setDraft({ post: post && `${post.kind}:${post.id}` }),
    }),
    [replyingTo, setDraft, openBranches],
  );
}

function parsePostRef(text: string | null): PostRef | null {
  const [, kind, id] = /^(question|answer|reply):([1-9]\d{0,14})$/u.exec(text ?? '') ?? [];
  if (kind !== 'question' && kind !== 'answer' && kind !== 'reply') return null;
  return { kind, id: Number(id) };
}
