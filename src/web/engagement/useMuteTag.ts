import { tagQueryKeys } from '#web/posts/index.ts';
import { t } from '@lingui/core/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { applyOwnTagFollow, setTagFollow, tagMutationScope } from './follows.ts';
import { followTagAction } from './follows-offline.ts';
import { logFailureAndToastRefusal } from '#web/core/errors.ts';
import { replaceQueuedAction } from '#web/core/replace-queued-action.ts';
import { useMember } from '#web/core/session.ts';
import { toast } from '#web/core/toast.ts';
import { applyTagMute, cancelMuteFetches, refreshMutes, setTagMute } from './mutes.ts';

/**
 * Mutes or unmutes a tag optimistically.
 * @param following whether the member follows it, which Undo restores.
 */
export function useMuteTag(tag: string, following: boolean) {
  const client = useQueryClient();
  const memberId = useMember()?.id;
  // Not awaited: without a connection the fetches take until there is one, and the button would wait for them.
  const refresh = () => {
    void refreshMutes(client);
    void client.invalidateQueries({ queryKey: tagQueryKeys.one(tag) });
  };

  async function show(muted: boolean, followed = false) {
    await cancelMuteFetches(client, tag);
    applyTagMute(client, tag, muted);
    if (followed) applyOwnTagFollow(client, tag, true);
  }

  async function undo(followed: boolean) {
    await show(false, followed);
    try {
      // Following a tag also unmutes it.
      await (followed ? setTagFollow(tag, true, {}) : setTagMute(tag, false));
    } catch (error) {
      if (error instanceof Error) logFailureAndToastRefusal('Unmuting', error);
    }
    refresh();
  }

  return useMutation({
    scope: tagMutationScope(tag),
    mutationFn: (muted: boolean) => {
      const send = () => setTagMute(tag, muted);
      return muted ? replaceQueuedAction(memberId, followTagAction({ tag, following: true }), send) : send();
    },
    onMutate: async (muted) => {
      await show(muted);
      // The state before: the cache already shows it as not followed.
      return { followed: muted && following };
    },
    onSuccess: async ({ muted }, _, { followed }) => {
      await show(muted);
      if (muted)
        toast(t`Questions tagged ${tag} are now hidden from your feeds.`, {
          label: t`Undo`,
          run: () => void undo(followed),
        });
      else toast(t`Questions tagged ${tag} are shown in your feeds again.`);
    },
    onError: async (error, muted, context) => {
      await show(!muted, context?.followed);
      logFailureAndToastRefusal('Muting', error);
    },
    onSettled: refresh,
  });
}
