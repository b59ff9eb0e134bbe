import { useEffect, useMemo, useState } from 'react';
import {
  type DraftRef,
  readDraftRecord,
  removeDraftRecord,
  writeDraftRecord,
} from '#web/posts/drafts/drafts-storage.ts';
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
  const draftRef = useMemo(() => ({ memberId, target: `replying:${questionId}` }), [memberId, questionId]);
  const isHydrating = useIsHydrating();
  const [wasHydrating, setWasHydrating] = useState(isHydrating);
  const [replyingTo, open] = useState(() =>
    parsePostRef(/^reply:(.+)$/u.exec(opening ?? '')?.[1] ?? (isHydrating ? null : readOpenForm(draftRef))),
  );
  if (wasHydrating && !isHydrating) {
    setWasHydrating(false);
    open(replyingTo ?? parsePostRef(readOpenForm(draftRef)));
  }
  return useMemo(
    () => ({
      replyingTo,
      setReplyingTo: (post) => {
        open(post);
        if (post !== null) openBranches([anchorOf(post)]);
        saveOpenForm(draftRef, null);
      },
      saveReplyingTo: (post) => saveOpenForm(draftRef, post),
    }),
    [replyingTo, draftRef, openBranches],
  );
}

const readOpenForm = (draftRef: DraftRef) => readDraftRecord(draftRef)?.fields?.['post'] ?? null;

/** Stored like a draft, so that it changes its owner like the text when a visitor signs in. */
function saveOpenForm(draftRef: DraftRef, post: PostRef | null): void {
  if (post === null) return removeDraftRecord(draftRef);
  const now = Date.now();
  writeDraftRecord(draftRef, {
    fields: { post: `${post.kind}:${post.id}` },
    baseVersion: null,
    dirty: true,
    wasSent: false,
    step: now,
    postedKey: null,
    changedAt: now,
  });
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
