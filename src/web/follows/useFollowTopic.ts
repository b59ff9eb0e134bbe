import { useMutation, useQueryClient } from '@tanstack/react-query';
import { logFailure } from '#web/platform/log.ts';
import { sendOrWait } from '#web/platform/send-waiting.ts';
import { useMember } from '#web/platform/session.ts';
import { refreshFollowed, setFollowTopic, showFollowing, stopTopics, topicScope } from './follows.ts';
import { followTopicAction } from './waiting-follows.ts';

/** Follows a topic or stops; shown at once, and back again when the server refuses. @param before as the server has it. */
export function useFollowTopic(tag: string, before: boolean) {
  const client = useQueryClient();
  const memberId = useMember()?.id ?? null;
  return useMutation({
    scope: topicScope(tag),
    mutationFn: (following: boolean) =>
      sendOrWait(memberId, followTopicAction({ tag, following }), (sending) =>
        setFollowTopic(tag, following, sending),
      ),
    onMutate: async (following) => {
      const again = await stopTopics(client, tag);
      showFollowing(client, tag, following);
      return { before, again };
    },
    // Again, because a list fetched meanwhile may have come with what was before. One that waits is shown on top of what
    // the server has.
    onSuccess: (state, _, { before }) => showFollowing(client, tag, state?.following ?? before),
    onError: (error, _, shown) => {
      logFailure(`Following the topic ${tag}`, error);
      if (shown !== undefined) showFollowing(client, tag, shown.before);
    },
    onSettled: (state, _error, _following, shown) => {
      // Without a connection that takes until there is one again.
      void shown?.again();
      return state === null ? undefined : refreshFollowed(client);
    },
  });
}
