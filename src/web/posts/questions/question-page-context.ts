import { createContext, use, useCallback, useMemo, useState } from 'react';
import type { Me } from '#shared/identity/accounts.ts';
import type { Reply } from '#shared/posts/replies.ts';
import { anchorOf, type AnyPost } from '#web/posts/post-ref.ts';
import type { PostRef } from '#shared/core/fields.ts';
import type { QuestionCache } from './question-cache.ts';
import type { QueuedPost } from '#web/posts/offline/queued-posts.ts';

/** The context that all parts of a question page share. */
export type QuestionPageContext = {
  questionId: number;
  member: Me;
  cache: QuestionCache;
  /** The draft target (#shared/posts/drafts.ts) whose form the address opens; null if there is none. */
  draftToOpen: string | null;
  /** The post that the address or a notification links to. */
  targetPost: PostRef | null;
  /** The question's author; null if unknown. */
  questionAuthorId: number | null;
  /** The accepted answer; null if there is none. */
  acceptedAnswerId: number | null;
  /** Whether posting is disabled here. */
  isLocked: boolean;
  /** The anchors of posts that were deleted while the page is open (deleted-posts.ts). */
  deletedPosts: ReadonlySet<string>;
  /** Whether another member wrote the post since the viewer's last visit. */
  isNew: (content: Pick<AnyPost, 'authorId' | 'createdAt'>) => boolean;
  /** The posts whose replies are collapsed. */
  branches: ReplyBranches;
  /** New replies by others that are held back so that nothing moves while the member reads. */
  newReplies: NewReplies;
  /** The member's own queued posts, oldest first. */
  queuedPosts: readonly QueuedPost[];
  /**
   * Scrolls to a post and focuses it, now or as soon as it is rendered. A string is the id of an element that
   * represents a post.
   */
  reveal: (post: PostRef | string) => void;
};

/** Keyed by the answer the replies belong to; null for comments on the question. */
export type NewReplies = {
  isPending: (reply: Pick<Reply, 'id'>) => boolean;
  countPending: (answerId: number | null) => number;
  show: (answerId: number | null) => void;
};

/** Which replies are collapsed while the page is open. A branch is identified by the anchor of its post. */
export type ReplyBranches = {
  isCollapsed: (anchor: string) => boolean;
  toggle: (anchor: string) => void;
  expand: (anchors: readonly string[]) => void;
};

const Context = createContext<QuestionPageContext | null>(null);

export const QuestionPageProvider = Context;

export function useQuestionPage(): QuestionPageContext {
  const context = use(Context);
  if (context === null) throw new Error('This component must be inside a question page.');
  return context;
}

/**
 * All replies are expanded at first, except the comments on the question after the first ones. Collapsed ones stay
 * collapsed while the page is open.
 */
export function useReplyBranches(): ReplyBranches {
  const [collapsed, setCollapsed] = useState(furtherComments);
  const toggle = useCallback(
    (anchor: string) =>
      setCollapsed((before) =>
        before.has(anchor) ? without(before, [anchor]) : new Set(before).add(anchor),
      ),
    [],
  );
  const open = useCallback(
    (anchors: readonly string[]) => setCollapsed((before) => without(before, anchors)),
    [],
  );
  return useMemo(
    () => ({ isCollapsed: (anchor) => collapsed.has(anchor), toggle, expand: open }),
    [collapsed, toggle, open],
  );
}

const furtherComments: ReadonlySet<string> = new Set([anchorOf({ kind: 'question', id: 0 })]);

function without(closed: ReadonlySet<string>, anchors: readonly string[]): ReadonlySet<string> {
  const remaining = new Set([...closed].filter((anchor) => !anchors.includes(anchor)));
  return remaining.size === closed.size ? closed : remaining;
}
