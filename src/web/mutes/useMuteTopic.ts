import { t } from '@lingui/core/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { setFollowTopic } from '#web/follows/follows.ts';
import { logFailureOrSayRefusal } from '#web/platform/log.ts';
import { toast } from '#web/platform/toast.ts';
import { topicKeys } from '#web/topics/topics.ts';
import { putTopicMute, refreshMutes, showTopicMute } from './mutes.ts';

/** Mutes a topic or ends it; shown at once. @param followed whether the member follows it, which undoing brings back. */
export function useMuteTopic(tag: string, followed: boolean) {
  const client = useQueryClient();
  const refresh = () =>
    Promise.all([refreshMutes(client), client.invalidateQueries({ queryKey: topicKeys.one(tag) })]);

  async function undo() {
    try {
      // Following it ends the mute as well.
      await (followed ? setFollowTopic(tag, true, {}) : putTopicMute(tag, false));
    } catch (error) {
      if (error instanceof Error) logFailureOrSayRefusal('Unmuting', error);
    }
    await refresh();
  }

  return useMutation({
    mutationFn: (muted: boolean) => putTopicMute(tag, muted),
    onMutate: (muted) => showTopicMute(client, tag, muted),
    onSuccess: ({ muted }) => {
      if (muted)
        toast(t`Questions tagged ${tag} leave your feeds.`, { label: t`Undo`, run: () => void undo() });
      else toast(t`Questions tagged ${tag} are back in your feeds.`);
    },
    onError: (error, muted) => {
      showTopicMute(client, tag, !muted);
      logFailureOrSayRefusal('Muting', error);
    },
    onSettled: refresh,
  });
}
