import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { MemberEvent } from '#shared/events.ts';
import { refreshBookmarks } from '#web/bookmarks/bookmarks.ts';
import { markFollowed, refreshFollowed } from '#web/follows/follows.ts';
import { refreshMutes, showTopicMute } from '#web/mutes/mutes.ts';
import { noteSeen, notificationKeys } from '#web/notifications/notifications.ts';
import { calmly } from '#web/platform/calmly.ts';
import { useLive } from '#web/platform/live.ts';
import { sessionQuery } from '#web/platform/session.ts';
import type { PostRef } from '#web/posts/post.ts';
import { patchPost } from '#web/posts/question-page.ts';
import { changeQuestion, questionKeys } from '#web/posts/question-query.ts';
import { topicKeys } from '#web/topics/topics.ts';

/** Shows nothing; keeps right what concerns the member alone, in every tab: the bell, and what they follow. */
export function LiveMember({ memberId }: { memberId: number }): null {
  const client = useQueryClient();
  const { bell, notifications, follows, bookmarks, mutes, seen, account } = useMemo(
    () => ({
      // The page of notifications brings what is new by itself, so that nothing jumps there.
      bell: calmly(() => void client.invalidateQueries({ queryKey: notificationKeys.newest }), 500),
      notifications: calmly(() => void client.invalidateQueries({ queryKey: notificationKeys.all }), 500),
      follows: calmly(() => void refreshFollowed(client), 500),
      mutes: calmly(() => void refreshMutes(client), 500),
      bookmarks: calmly(() => void refreshBookmarks(client), 500),
      seen: calmly(noteSeen, 2_000),
      account: calmly(() => void refreshAccount(client), 500),
    }),
    [client],
  );
  useLive(`member:${memberId}`, {
    heard(events) {
      for (const event of events) {
        if (event.kind === 'notified') {
          bell();
          if (isLookedAt()) seen();
        }
        if (event.kind === 'notifications-changed') notifications();
        if (event.kind === 'account-changed') account();
        if (event.kind === 'bookmarked') showBookmark(client, event);
        if (event.kind === 'bookmarked' || event.kind === 'bookmarks-changed') bookmarks();
        if (event.kind === 'mutes-changed') {
          showMute(client, event);
          mutes();
        }
        if (event.kind === 'follows-changed') {
          showFollow(client, event);
          follows();
        }
      }
    },
    missed() {
      notifications();
      follows();
      bookmarks();
      mutes();
      void client.invalidateQueries({ queryKey: topicKeys.all });
      void client.invalidateQueries({ queryKey: questionKeys.all });
    },
  });
  return null;
}

/** The member sees what the bell says. */
const isLookedAt = () => document.visibilityState === 'visible' && document.hasFocus();

/** The address, and where else the member is signed in: what is shown of them now. */
async function refreshAccount(client: QueryClient): Promise<void> {
  await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  await client.invalidateQueries({ queryKey: ['settings', 'address'] });
  await client.invalidateQueries({ queryKey: ['settings', 'sessions'] });
}

function showFollow(client: QueryClient, event: Extract<MemberEvent, { kind: 'follows-changed' }>): void {
  const { following } = event;
  if ('tag' in event) return markFollowed(client, event.tag, following);
  const { questionId: id } = event;
  changeQuestion(client, id, (page) => patchPost(page, { kind: 'question', id }, { following }));
}

function showMute(client: QueryClient, event: Extract<MemberEvent, { kind: 'mutes-changed' }>): void {
  const { muted } = event;
  if ('tag' in event) return showTopicMute(client, event.tag, muted);
  const { questionId: id } = event;
  changeQuestion(client, id, (page) => patchPost(page, { kind: 'question', id }, { muted }));
}

function showBookmark(client: QueryClient, event: Extract<MemberEvent, { kind: 'bookmarked' }>): void {
  const { questionId, bookmarked } = event;
  const post: PostRef =
    'answerId' in event ? { kind: 'answer', id: event.answerId } : { kind: 'question', id: questionId };
  changeQuestion(client, questionId, (page) => patchPost(page, post, { bookmarked }));
}
