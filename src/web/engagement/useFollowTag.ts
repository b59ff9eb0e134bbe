import { useMutation, useQueryClient } from '@tanstack/react-query';
import { logFailureAndToastRefusal } from '#web/core/errors.ts';
import { sendOrQueue } from '#web/core/send-or-queue.ts';
import { useMember } from '#web/core/session.ts';
import { cancelTagFetches } from './follow-lists.ts';
import { refreshFollows, setTagFollow, applyOwnTagFollow, tagMutationScope } from './follows.ts';
import { followTagAction } from './follows-offline.ts';

/**
 * Follows or unfollows a tag optimistically.
 * @param before the state on the server.
 */
export function useFollowTag(tag: string, before: boolean) {
  const client = useQueryClient();
  const memberId = useMember()?.id ?? null;
  return useMutation({
    scope: tagMutationScope(tag),
    mutationFn: (following: boolean) =>
      sendOrQueue(memberId, followTagAction({ tag, following }), (sending) =>
        setTagFollow(tag, following, sending),
      ),
    onMutate: async (following) => {
      const refetch = await cancelTagFetches(client, tag);
      applyOwnTagFollow(client, tag, following);
      return { before, again: refetch };
    },
    // Applied again because a list fetched meanwhile may have the old state. A queued change is shown on top of the
    // server's state.
    onSuccess: (state, _, { before }) => applyOwnTagFollow(client, tag, state?.following ?? before),
    onError: (error, _, context) => {
      if (context !== undefined) applyOwnTagFollow(client, tag, context.before);
      logFailureAndToastRefusal(`Following the tag ${tag}`, error);
    },
    onSettled: (state, _error, _following, context) => {
      // Not awaited: without a connection it takes until there is one again.
      void context?.again();
      if (state !== null) void refreshFollows(client);
    },
  });
}
