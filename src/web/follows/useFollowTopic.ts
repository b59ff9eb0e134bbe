import { useMutation, useQueryClient } from '@tanstack/react-query';
import { logFailure } from '#web/platform/log.ts';
import { sendOrWait } from '#web/platform/send-waiting.ts';
import { useMember } from '#web/platform/session.ts';
import { refreshFollowed, setFollowTopic, showFollowing } from './follows.ts';
import { followTopicAction } from './waiting-follows.ts';

/** Follows a topic or stops; shown at once, and back again when the server refuses. @param before as the server has it. */
export function useFollowTopic(tag: string, before: boolean) {
  const client = useQueryClient();
  const memberId = useMember()?.id ?? null;
  return useMutation({
    mutationFn: (following: boolean) =>
      sendOrWait(memberId, followTopicAction({ tag, following }), (sending) =>
        setFollowTopic(tag, following, sending),
      ),
    onMutate: (following) => {
      showFollowing(client, tag, following);
      return before;
    },
    // Again, because a list that was on its way may have come in between with what was before. One that waits is shown
    // on top of what the server has.
    onSuccess: (state, _, before) => showFollowing(client, tag, state?.following ?? before),
    onError: (error, _, before) => {
      logFailure(`Following the topic ${tag}`, error);
      if (before !== undefined) showFollowing(client, tag, before);
    },
    onSettled: (state) => (state === null ? undefined : refreshFollowed(client)),
  });
}
