import { useMemo, useState } from 'react';
import { useDraft } from '#web/platform/drafts.ts';
import type { QuestionPageContext } from '#web/posts/page-context.ts';
import { anchorOf, type PostRef } from '#web/posts/post.ts';

/**
 * Which reply form is open. One that something was typed in opens again after a reload.
 * @param openBranches shows the replies below posts: who replies sees what was said.
 */
export function useReplyingTo(
  questionId: number,
  memberId: number,
  openBranches: (anchors: readonly string[]) => void,
): Pick<QuestionPageContext, 'replyingTo' | 'setReplyingTo' | 'rememberReplyingTo'> {
  const { draft, setDraft } = useDraft<{ post: PostRef | null }>({
    place: `replying:${questionId}`,
    memberId,
    initial: () => ({ post: null }),
    isEmpty: ({ post }) => post === null,
  });
  const [replyingTo, open] = useState(draft.post);
  return useMemo(
    () => ({
      replyingTo,
      setReplyingTo: (post) => {
        open(post);
        if (post !== null) openBranches([anchorOf(post)]);
        setDraft({ post: null });
      },
      rememberReplyingTo: (post) => setDraft({ post }),
    }),
    [replyingTo, setDraft, openBranches],
  );
}
