import { t } from '@lingui/core/macro';
import type { Direction } from '#shared/fields.ts';
import { waitingKind } from '#web/platform/send-waiting.ts';
import { toastError } from '#web/platform/toast.ts';
import { isObject, useWanted, type Action } from '#web/platform/waiting.ts';
import { setVote } from '#web/posts/post-api.ts';
import type { PostRef } from '#web/posts/post.ts';
import { findPost, patchPost } from '#web/posts/question-page.ts';
import { questionCache } from '#web/posts/question-query.ts';
import { isId } from '#web/posts/waiting-posts.ts';
import { withVote } from './vote.ts';

type VoteToSend = { post: PostRef; questionId: number; vote: Direction | null };

export const waitingVotes = waitingKind<VoteToSend>({
  name: 'vote',
  read,
  async send({ post, questionId, vote }, client, sending) {
    const cache = questionCache(client, questionId);
    // As a vote that is cast with a connection: the counts of others that come meanwhile hold this one already.
    await cache.change((page) => {
      const before = findPost(page, post);
      return before === undefined ? page : patchPost(page, post, withVote(before, vote));
    });
    const state = await setVote(post, vote, sending);
    await cache.change((page) => patchPost(page, post, state));
  },
  refused(_, error) {
    toastError(t`Your vote was not saved: ${error.message}`);
    return null;
  },
});

export function voteAction(data: VoteToSend): Action {
  return { kind: 'vote', target: targetOf(data.post), data };
}

/** The vote that waits for the connection; undefined where none does. */
export function useWaitingVote(memberId: number | null, post: PostRef): Direction | null | undefined {
  return read(useWanted(memberId, 'vote', targetOf(post)))?.vote;
}

function targetOf({ kind, id }: PostRef): string {
  return `${kind}:${id}`;
}

function read(data: unknown): VoteToSend | null {
  if (!isObject(data) || !isObject(data['post'])) return null;
  const { questionId, vote } = data;
  const { kind, id } = data['post'];
  if (kind !== 'question' && kind !== 'answer' && kind !== 'reply') return null;
  if (vote !== 'up' && vote !== 'down' && vote !== null) return null;
  return isId(id) && isId(questionId) ? { post: { kind, id }, questionId, vote } : null;
}
