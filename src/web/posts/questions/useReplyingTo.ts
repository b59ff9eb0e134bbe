import { useEffect, useMemo, useState } from 'react';
import { useDraft } from '#web/posts/drafts/useDraft.ts';
import type { QuestionPageContext } from './question-page-context.ts';
import { useIsHydrating } from '#web/core/hydration.ts';
import { anchorOf } from '#web/posts/post-ref.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { useRouter } from '@tanstack/react-router';

/**
 * Which reply form is open. A form with typed text opens again after a reload.
 * @param opening the draft target whose form should open.
 * @param openBranches expands the replies below posts, so that the member sees what was said.
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
  const isHydrating = useIsHydrating();
  const [wasHydrating, setWasHydrating] = useState(isHydrating);
  const [replyingTo, open] = useState(() =>
    parsePostRef(/^reply:(.+)$/u.exec(opening ?? '')?.[1] ?? draft.post),
  );
  if (wasHydrating && draft.post !== null) {
    setWasHydrating(false);
    open(replyingTo ?? parsePostRef(draft.post));
  }
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

/**
 * The draft whose form the address opens, `?draft=edit:answer:5`; null if there is none. The parameter is removed from
 * the address after its first use.
 */
export function useDraftToOpen(): string | null {
  const router = useRouter();
  const [draftToOpen] = useState(() => new URLSearchParams(router.latestLocation.searchStr).get('draft'));
  useEffect(() => {
    if (draftToOpen === null) return;
    void router.navigate({ to: '.', search: {}, hash: true, replace: true, resetScroll: false });
  }, [draftToOpen, router]);
  return draftToOpen;
}
