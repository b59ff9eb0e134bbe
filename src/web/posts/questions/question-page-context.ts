import { createContext, use } from 'react';
import type { Me } from '#shared/identity/accounts.ts';
import type { Reply } from '#shared/posts/replies.ts';
import type { AnyPost, PostRef } from '#web/posts/post-ref.ts';
import type { QuestionCache } from './question-cache.ts';
import type { QueuedPost } from '#web/posts/offline/queued-posts.ts';

/** What every part of a question page knows. */
export type QuestionPageContext = {
  questionId: number;
  member: Me;
  cache: QuestionCache;
  /** The post whose reply form is open: one at a time, so that there is one field 'Your reply'. */
  replyingTo: PostRef | null;
  setReplyingTo: (post: PostRef | null) => void;
  /** Opens the reply form again after a reload, once something was typed in it. */
  saveReplyingTo: (post: PostRef | null) => void;
  /** The draft whose form the address asks to be opened, by its place (#shared/drafts.ts); else null. */
  draftToOpen: string | null;
  /** The post an address or a notification points at. */
  targetPost: PostRef | null;
  /** Who asked; null where nobody knows. */
  questionAuthorId: number | null;
  /** The answer that solved it, as the asker says. */
  acceptedAnswerId: number | null;
  /** Whether nothing can be written here. */
  isLocked: boolean;
  /** Whether a post came in since the member's last visit, by somebody else. */
  isNew: (content: Pick<AnyPost, 'authorId' | 'createdAt'>) => boolean;
  /** The posts whose replies are folded away. */
  branches: ReplyBranches;
  /** Others' new replies that wait to be shown, so that nothing moves under the reader. */
  newReplies: NewReplies;
  /** The member's own posts that wait for the connection, the oldest first. */
  queuedPosts: readonly QueuedPost[];
  /**
   * Brings a post into view and focuses it, now or as soon as it is on the page. A text is the id of an element that
   * stands for one.
   */
  reveal: (post: PostRef | string) => void;
};

/** By the answer they belong to; null are those to the question itself. */
export type NewReplies = {
  isPending: (reply: Pick<Reply, 'id'>) => boolean;
  countPending: (answerId: number | null) => number;
  show: (answerId: number | null) => void;
};

/** Which replies are folded away, for as long as the page is open. A branch is named by the anchor of its post. */
export type ReplyBranches = {
  isCollapsed: (anchor: string) => boolean;
  toggle: (anchor: string) => void;
  expand: (anchors: readonly string[]) => void;
};

const Context = createContext<QuestionPageContext | null>(null);

export const QuestionPageProvider = Context;

export function useQuestionPage(): QuestionPageContext {
  const context = use(Context);
  if (context === null) throw new Error('This component belongs inside a question page.');
  return context;
}
