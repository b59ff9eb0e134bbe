import type { Reply } from '#shared/posts/replies.ts';
import type { QueuedPost } from './offline/queued-posts.ts';

export type ReplyNode = { reply: Reply; children: ReplyNode[] };

/** Replies as a tree, each level in the given order. A reply whose parent is not loaded is at the top level. */
export function buildReplyTree(replies: readonly Reply[]): ReplyNode[] {
  const nodes = new Map<number, ReplyNode>(replies.map((reply) => [reply.id, { reply, children: [] }]));
  const top: ReplyNode[] = [];
  for (const node of nodes.values()) {
    const parent = node.reply.parentReplyId === null ? undefined : nodes.get(node.reply.parentReplyId);
    (parent?.children ?? top).push(node);
  }
  return top;
}

/** Removes replies that are held back, and the replies to them. */
export function filterVisibleReplies(
  replies: readonly Reply[],
  isPending: (reply: Reply) => boolean,
): Reply[] {
  const hidden = new Set<number>();
  // A reply comes after its parent.
  return replies.filter((reply) => {
    const follows = reply.parentReplyId !== null && hidden.has(reply.parentReplyId);
    if (follows || isPending(reply)) hidden.add(reply.id);
    return !hidden.has(reply.id);
  });
}

/** The number of replies in these branches, without deleted ones. */
export function countReplies(nodes: readonly ReplyNode[]): number {
  return nodes.reduce(
    (sum, { reply, children }) => sum + (reply.deleted ? 0 : 1) + countReplies(children),
    0,
  );
}

/**
 * The id of the element that contains the replies below a post.
 * @param anchor the anchor of the post.
 */
export function repliesElementId(anchor: string): string {
  return `below-${anchor}`;
}

/**
 * The queued replies of an answer's thread (null: of the question), by the id of their parent reply. A reply whose
 * parent is not loaded is at the top level, under null.
 */
export function groupQueuedReplies(
  queuedPosts: readonly QueuedPost[],
  answerId: number | null,
  replies: readonly Reply[],
): ReadonlyMap<number | null, QueuedPost[]> {
  const below = new Map<number | null, QueuedPost[]>();
  const loadedIds = new Set(replies.map(({ id }) => id));
  for (const post of queuedPosts) {
    if (post.kind !== 'reply' || post.data.answerId !== answerId) continue;
    const parent = post.data.parentReplyId;
    const key = parent !== null && loadedIds.has(parent) ? parent : null;
    below.set(key, [...(below.get(key) ?? []), post]);
  }
  return below;
}
