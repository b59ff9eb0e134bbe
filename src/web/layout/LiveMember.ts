import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { refreshFollowed } from '#web/follows/follows.ts';
import { notificationKeys } from '#web/notifications/notifications.ts';
import { calmly } from '#web/platform/calmly.ts';
import { useLive } from '#web/platform/live.ts';
import { questionKeys } from '#web/posts/question-query.ts';
import { topicKeys } from '#web/topics/topics.ts';

/** Shows nothing; keeps right what concerns the member alone, in every tab: the bell, and what they follow. */
export function LiveMember({ memberId }: { memberId: number }): null {
  const client = useQueryClient();
  const { bell, follows } = useMemo(
    () => ({
      bell: calmly(() => void client.invalidateQueries({ queryKey: notificationKeys.all }), 500),
      follows: calmly(() => {
        void refreshFollowed(client);
        void client.invalidateQueries({ queryKey: topicKeys.all });
        void client.invalidateQueries({ queryKey: questionKeys.all });
      }, 500),
    }),
    [client],
  );
  useLive(`member:${memberId}`, {
    heard(events) {
      for (const event of events) {
        if (event.kind === 'notified' || event.kind === 'notifications-read') bell();
        if (event.kind === 'follows-changed') follows();
      }
    },
    missed() {
      bell();
      follows();
    },
  });
  return null;
}
