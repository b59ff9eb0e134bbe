import { t } from '@lingui/core/macro';
import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react';
import {
  type DraftRef,
  readDraftRecord,
  removeDraftRecord,
  writeDraftRecord,
} from '#web/posts/drafts/drafts-storage.ts';
import { useIsHydrating } from '#web/core/hydration.ts';
import { anchorOf, isSamePost } from '#web/posts/post-ref.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { useRouter, useLocation } from '#web/core/router.ts';

type Replying = {
  /** The post whose reply form is open. Only one is open at a time, so there is only one field 'Your reply'. */
  replyingTo: PostRef | null;
  setReplyingTo: (post: PostRef | null) => void;
  /** Closes the form of this post only. */
  closeReplyTo: (post: PostRef) => void;
  /** Remembers the open reply form once something was typed, so that a reload opens it again. */
  saveReplyingTo: (post: PostRef | null) => void;
};

/** For components that read it on a condition; others call `useReplying`. */
export const ReplyingContext = createContext<Replying | null>(null);

/**
 * Which reply form of the question page is open. A form with typed text opens again after a reload. It is not part of
 * the page's context, because then opening a form would render every post again.
 * @param opening the draft target whose form should open.
 * @param openBranches expands the replies below posts, so that the member sees what was said.
 */
export function ReplyingProvider({
  questionId,
  memberId,
  opening,
  openBranches,
  children,
}: {
  questionId: number;
  memberId: number;
  opening: string | null;
  openBranches: (anchors: readonly string[]) => void;
  children: ReactNode;
}) {
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
  const replying = useMemo<Replying>(
    () => ({
      replyingTo,
      setReplyingTo: (post) => {
        open(post);
        if (post !== null) openBranches([anchorOf(post)]);
        saveOpenForm(draftRef, null);
      },
      closeReplyTo: (post) => {
        open((current) => (isSamePost(current, post) ? null : current));
        if (isSamePost(parsePostRef(readOpenForm(draftRef)), post)) saveOpenForm(draftRef, null);
      },
      saveReplyingTo: (post) => saveOpenForm(draftRef, post),
    }),
    [replyingTo, draftRef, openBranches],
  );
  return <ReplyingContext value={replying}>{children}</ReplyingContext>;
}

export function useReplying(): Replying {
  const context = use(ReplyingContext);
  if (context === null) throw new Error('This component must be inside a question page.');
  return context;
}

/** Returns a function that closes the reply form of a post. The focus returns to the button that opened it. */
export function useCloseReply(to: PostRef): () => void {
  const { setReplyingTo } = useReplying();
  return () => {
    setReplyingTo(null);
    const anchor = anchorOf(to);
    const opener =
      document.querySelector<HTMLElement>(`#${anchor} [data-shortcut-key="r"]`) ??
      document.querySelector<HTMLElement>(`[data-shortcut-key="r"][data-shortcut-post="${anchor}"]`);
    opener?.focus();
  };
}

export const replyPlaceholder = (to: PostRef) =>
  to.kind === 'question' ? t`Ask for more information or suggest an improvement` : t`Write a reply`;

/** The children while the reply form of a post is open. */
export function WhileReplyingTo({ post, children }: { post: PostRef; children: ReactNode }) {
  return isSamePost(useReplying().replyingTo, post) && children;
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
    sentStep: null,
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
  const { search } = useLocation();
  const [draftToOpen] = useState(() => new URLSearchParams(search).get('draft'));
  useEffect(() => {
    if (draftToOpen === null) return;
    router.replaceAddress({ search: '' });
  }, [draftToOpen, router]);
  return draftToOpen;
}
