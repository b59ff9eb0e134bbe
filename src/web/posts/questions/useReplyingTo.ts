import { useEffect, useMemo, useState } from 'react';
import { useDraft } from '#web/posts/drafts/useDraft.ts';
import type { QuestionPageContext } from './question-page-context.ts';
import { anchorOf, type PostRef } from '#web/posts/post-ref.ts';
import { useRouter } from '@tanstack/react-router';

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

/**
 * The draft whose form the address asks to be opened, `?draft=edit:answer:5`; null where it asks for none. It is asked for
 * once: the address goes on without it.
 */
export function useDraftToOpen(): string | null {
  const router = useRouter();
  const [draftToOpen] = useState(() => new URLSearchParams(window.location.search).get('draft'));
  useEffect(() => {
    if (draftToOpen === null) return;
    void router.navigate({ to: '.', search: {}, hash: true, replace: true, resetScroll: false });
  }, [draftToOpen, router]);
  return draftToOpen;
}
