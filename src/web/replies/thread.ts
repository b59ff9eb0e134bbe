import type { Reply } from '#shared/replies.ts';

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
