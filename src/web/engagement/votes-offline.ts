import type { VoteDirection, PostRef } from '#shared/core/fields.ts';
import { isObject, useQueuedState, type OfflineAction } from '#web/core/offline-queue.ts';
import { isId } from '#web/posts/index.ts';

export type VoteToSend = { post: PostRef; questionId: number; vote: VoteDirection | null };

export function voteAction(data: VoteToSend): OfflineAction {
  return { kind: 'vote', target: voteTarget(data.post), data };
}

/** The queued vote; undefined if there is none. */
export function useQueuedVote(memberId: number | null, post: PostRef): VoteDirection | null | undefined {
  return parseVote(useQueuedState(memberId, 'vote', voteTarget(post)))?.vote;
}

function voteTarget({ kind, id }: PostRef): string {
  return `${kind}:${id}`;
}

export function parseVote(data: unknown): VoteToSend | null {
  if (!isObject(data) || !isObject(data['post'])) return null;
  const { questionId, vote } = data;
  const { kind, id } = data['post'];
  if (kind !== 'question' && kind !== 'answer' && kind !== 'reply') return null;
  if (vote !== 'up' && vote !== 'down' && vote !== null) return null;
  return isId(id) && isId(questionId) ? { post: { kind, id }, questionId, vote } : null;
}
