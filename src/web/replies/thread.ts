import type { Reply } from '#shared/replies.ts';
import type { WaitingPost } from '#web/posts/waiting-posts.ts';

export type ThreadNode = { reply: Reply; children: ThreadNode[] };

/** Replies as a tree, each level in the order given. A reply whose parent is not loaded stands at the top. */
export function threadOf(replies: readonly Reply[]): ThreadNode[] {
  const nodes = new Map<number, ThreadNode>(replies.map((reply) => [reply.id, { reply, children: [] }]));
  const top: ThreadNode[] = [];
  for (const node of nodes.values()) {
    const parent = node.reply.parentReplyId === null ? undefined : nodes.get(node.reply.parentReplyId);
    (parent?.children ?? top).push(node);
  }
  return top;
}

/** Without those that wait to be shown, and the replies to them. */
export function shownOf(replies: readonly Reply[], isWaiting: (reply: Reply) => boolean): Reply[] {
  const hidden = new Set<number>();
  // A reply comes after the one it answers.
  return replies.filter((reply) => {
    const follows = reply.parentReplyId !== null && hidden.has(reply.parentReplyId);
    if (follows || isWaiting(reply)) hidden.add(reply.id);
    return !hidden.has(reply.id);
  });
}

/** How many replies stand in these branches; deleted ones are none. */
export function repliesIn(nodes: readonly ThreadNode[]): number {
  return nodes.reduce((sum, { reply, children }) => sum + (reply.deleted ? 0 : 1) + repliesIn(children), 0);
}

/** The id of the element that holds the replies below a post. @param anchor the post's. */
export function branchId(anchor: string): string {
  return `below-${anchor}`;
}

/**
 * The replies below an answer (null: the question) that are still to be sent, by the id of the reply they answer. One
 * whose parent is not loaded stands at the top, under null.
 */
export function waitingBelow(
  waiting: readonly WaitingPost[],
  answerId: number | null,
  replies: readonly Reply[],
): ReadonlyMap<number | null, WaitingPost[]> {
  const below = new Map<number | null, WaitingPost[]>();
  const shown = new Set(replies.map(({ id }) => id));
  for (const post of waiting) {
    if (post.kind !== 'reply' || post.data.answerId !== answerId) continue;
    const parent = post.data.parentReplyId;
    const place = parent !== null && shown.has(parent) ? parent : null;
    below.set(place, [...(below.get(place) ?? []), post]);
  }
  return below;
}
