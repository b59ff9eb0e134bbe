import { t } from '@lingui/core/macro';
import type { VoteDirection } from '#shared/core/fields.ts';
import { defineOfflineActionKind } from '#web/core/offline-queue-sender.ts';
import { toastError } from '#web/core/toast.ts';
import { isObject, useQueuedState, type OfflineAction } from '#web/core/offline-queue.ts';
import { setVote } from '#web/posts/post-api.ts';
import type { PostRef } from '#web/posts/post-ref.ts';
import { findPost, patchPost } from '#web/posts/questions/question-page-data.ts';
import { createQuestionCache } from '#web/posts/questions/question-cache.ts';
import { isId } from '#web/posts/offline/queued-posts.ts';
import { applyVote } from './votes.ts';

type VoteToSend = { post: PostRef; questionId: number; vote: VoteDirection | null };

export const offlineVotes = defineOfflineActionKind<VoteToSend>({
  name: 'vote',
  read: parseVote,
  async send({ post, questionId, vote }, client, sending) {
    const cache = createQuestionCache(client, questionId);
    // As a vote that is cast with a connection: the counts of others that come meanwhile hold this one already.
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

/** The vote that waits for the connection; undefined where none does. */
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
