import { tagQueryKeys } from '#web/posts/query-keys.ts';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { MemberEvent } from '#shared/core/events.ts';
import { refreshBookmarks } from '#web/engagement/bookmarks.ts';
import { refreshFollows, setTagFollowed } from '#web/engagement/follows.ts';
import { applyTagMute, refreshMutes } from '#web/engagement/mutes.ts';
import { markNotificationsSeen, notificationKeys } from '#web/notifications/notifications.ts';
import { throttle } from '#web/core/throttle.ts';
import { useLive } from '#web/core/live.ts';
import { sessionQuery } from '#web/core/session.ts';
import type { PostRef } from '#web/posts/post-ref.ts';
import { patchPost } from '#web/posts/questions/question-page-data.ts';
import { questionKeys, updateCachedQuestion } from '#web/posts/questions/question-cache.ts';

/** Shows nothing; keeps right what concerns the member alone, in every tab: the bell, and what they follow. */
export function MemberLiveUpdates({ memberId }: { memberId: number }): null {
  const client = useQueryClient();
  const {
    bell: refreshNewest,
    notifications,
    follows,
    bookmarks,
    mutes,
    seen: markSeen,
    account,
  } = useMemo(
    () => ({
      // The page of notifications brings what is new by itself, so that nothing jumps there.
      bell: throttle(() => void client.invalidateQueries({ queryKey: notificationKeys.newest }), 500),
      notifications: throttle(() => void client.invalidateQueries({ queryKey: notificationKeys.all }), 500),
      follows: throttle(() => void refreshFollows(client), 500),
      mutes: throttle(() => void refreshMutes(client), 500),
      bookmarks: throttle(() => void refreshBookmarks(client), 500),
      seen: throttle(markNotificationsSeen, 2_000),
      account: throttle(() => void refreshAccount(client), 500),
    }),
    [client],
  );
  useLive(`member:${memberId}`, {
    onEvents(events) {
      for (const event of events) {
        if (event.kind === 'notified') {
          refreshNewest();
          if (isPageFocused()) markSeen();
        }
        if (event.kind === 'notifications-changed') notifications();
        if (event.kind === 'account-changed') account();
        if (event.kind === 'bookmarked') patchBookmark(client, event);
        if (event.kind === 'bookmarked' || event.kind === 'bookmarks-changed') bookmarks();
        if (event.kind === 'mutes-changed') {
          patchMute(client, event);
          mutes();
        }
        if (event.kind === 'follows-changed') {
          patchFollow(client, event);
          follows();
        }
      }
    },
    onMissed() {
      notifications();
      follows();
      bookmarks();
      mutes();
      void client.invalidateQueries({ queryKey: tagQueryKeys.all });
      void client.invalidateQueries({ queryKey: questionKeys.all });
    },
  });
  return null;
}

/** The member sees what the bell says. */
const isPageFocused = () => document.visibilityState === 'visible' && document.hasFocus();

/** The address, and where else the member is signed in: what is shown of them now. */
async function refreshAccount(client: QueryClient): Promise<void> {
  await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  await client.invalidateQueries({ queryKey: ['settings', 'address'] });
  await client.invalidateQueries({ queryKey: ['settings', 'sessions'] });
}

function patchFollow(client: QueryClient, event: Extract<MemberEvent, { kind: 'follows-changed' }>): void {
  const { following } = event;
  if ('tag' in event) return setTagFollowed(client, event.tag, following);
  const { questionId: id } = event;
  updateCachedQuestion(client, id, (page) => patchPost(page, { kind: 'question', id }, { following }));
}

function patchMute(client: QueryClient, event: Extract<MemberEvent, { kind: 'mutes-changed' }>): void {
  const { muted } = event;
  if ('tag' in event) return applyTagMute(client, event.tag, muted);
  const { questionId: id } = event;
  updateCachedQuestion(client, id, (page) => patchPost(page, { kind: 'question', id }, { muted }));
}

function patchBookmark(client: QueryClient, event: Extract<MemberEvent, { kind: 'bookmarked' }>): void {
  const { questionId, bookmarked } = event;
  const post: PostRef =
    'answerId' in event ? { kind: 'answer', id: event.answerId } : { kind: 'question', id: questionId };
  updateCachedQuestion(client, questionId, (page) => patchPost(page, post, { bookmarked }));
}
