import { t } from '@lingui/core/macro';
import type { VoteDirection, PostRef } from '#shared/core/fields.ts';
import { defineOfflineActionKind } from '#web/core/send-or-queue.ts';
import { toastError } from '#web/core/toast.ts';
import { isObject, useQueuedState, type OfflineAction } from '#web/core/offline-queue.ts';
import { createQuestionCache, findPost, isId, patchPost, setVote } from '#web/posts/index.ts';
import { applyVote } from './votes.ts';

type VoteToSend = { post: PostRef; questionId: number; vote: VoteDirection | null };

export const offlineVotes = defineOfflineActionKind<VoteToSend>({
  name: 'vote',
  read: parseVote,
  async send({ post, questionId, vote }, client, sending) {
    const cache = createQuestionCache(client, questionId);
    // As with an online vote: counts that arrive meanwhile already include it.
    await cache.update((page) => {
      const before = findPost(page, post);
      return before === undefined ? page : patchPost(page, post, applyVote(before, vote));
    });
    const state = await setVote(post, vote, sending);
    await cache.update((page) => patchPost(page, post, state));
  },
  refused(_, error) {
    toastError(t`Your vote was not saved: ${error.message}`);
    return null;
  },
});

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

function parseVote(data: unknown): VoteToSend | null {
  if (!isObject(data) || !isObject(data['post'])) return null;
  const { questionId, vote } = data;
  const { kind, id } = data['post'];
  if (kind !== 'question' && kind !== 'answer' && kind !== 'reply') return null;
  if (vote !== 'up' && vote !== 'down' && vote !== null) return null;
  return isId(id) && isId(questionId) ? { post: { kind, id }, questionId, vote } : null;
}
