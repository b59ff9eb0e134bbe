import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { MemberEvent } from '#shared/events.ts';
import { markFollowed, refreshFollowed } from '#web/follows/follows.ts';
import { notificationKeys } from '#web/notifications/notifications.ts';
import { calmly } from '#web/platform/calmly.ts';
import { useLive } from '#web/platform/live.ts';
import { patchPost } from '#web/posts/question-page.ts';
import { changeQuestion, questionKeys } from '#web/posts/question-query.ts';
import { topicKeys } from '#web/topics/topics.ts';

/** Shows nothing; keeps right what concerns the member alone, in every tab: the bell, and what they follow. */
export function LiveMember({ memberId }: { memberId: number }): null {
  const client = useQueryClient();
  const { bell, notifications, follows } = useMemo(
    () => ({
      // The page of notifications brings what is new by itself, so that nothing jumps there.
      bell: calmly(() => void client.invalidateQueries({ queryKey: notificationKeys.newest }), 500),
      notifications: calmly(() => void client.invalidateQueries({ queryKey: notificationKeys.all }), 500),
      follows: calmly(() => void refreshFollowed(client), 500),
    }),
    [client],
  );
  useLive(`member:${memberId}`, {
    heard(events) {
      for (const event of events) {
        if (event.kind === 'notified') bell();
        if (event.kind === 'notifications-changed') notifications();
        if (event.kind === 'follows-changed') {
          showFollow(client, event);
          follows();
        }
      }
    },
    missed() {
      notifications();
      follows();
      void client.invalidateQueries({ queryKey: topicKeys.all });
      void client.invalidateQueries({ queryKey: questionKeys.all });
    },
  });
  return null;
}

function showFollow(client: QueryClient, event: Extract<MemberEvent, { kind: 'follows-changed' }>): void {
  const { following } = event;
  if ('tag' in event) return markFollowed(client, event.tag, following);
  const { questionId: id } = event;
  changeQuestion(client, id, (page) => patchPost(page, { kind: 'question', id }, { following }));
}
