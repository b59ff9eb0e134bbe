import { tagQueryKeys } from '#web/posts/query-keys.ts';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { MemberEvent } from '#shared/core/events.ts';
import { refreshBookmarks } from '#web/engagement/bookmarks.ts';
import { refreshFollows, applyTagFollowEvent } from '#web/engagement/follows.ts';
import { applyTagMute, refreshMutes } from '#web/engagement/mutes.ts';
import { markNotificationsSeen, notificationKeys } from '#web/notifications/notifications.ts';
import { throttle } from '#web/core/timing.ts';
import { useLive } from '#web/core/live.ts';
import { sessionQuery } from '#web/core/session.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { patchPost } from '#web/posts/questions/question-page-data.ts';
import { questionKeys, updateCachedQuestion } from '#web/posts/questions/question-cache.ts';

/** Renders nothing. Updates the member's own data in every tab: notifications, follows, account and session. */
export function MemberLiveUpdates({ memberId }: { memberId: number }): null {
  const client = useQueryClient();
  const {
    updateNewest,
    updateNotifications,
    updateFollows,
    updateBookmarks,
    updateMutes,
    markSeen,
    updateAccount,
  } = useMemo(
    () => ({
      // The page of notifications loads new items itself, so that its list does not jump.
      updateNewest: throttle(() => void client.invalidateQueries({ queryKey: notificationKeys.newest }), 500),
      updateNotifications: throttle(
        () => void client.invalidateQueries({ queryKey: notificationKeys.all }),
        500,
      ),
      updateFollows: throttle(() => void refreshFollows(client), 500),
      updateMutes: throttle(() => void refreshMutes(client), 500),
      updateBookmarks: throttle(() => void refreshBookmarks(client), 500),
      markSeen: throttle(markNotificationsSeen, 2_000),
      updateAccount: throttle(() => refreshAccount(client), 500),
    }),
    [client],
  );
  useLive(`member:${memberId}`, {
    onEvents(events) {
      for (const event of events) {
        if (event.kind === 'notified') {
          updateNewest();
          if (isPageFocused()) markSeen();
        }
        if (event.kind === 'notifications-changed') updateNotifications();
        if (event.kind === 'account-changed' || event.kind === 'member-changed') updateAccount();
        if (event.kind === 'vote-changed') patchVote(client, event);
        if (event.kind === 'bookmarked') patchBookmark(client, event);
        if (event.kind === 'bookmarked' || event.kind === 'bookmarks-changed') updateBookmarks();
        if (event.kind === 'mutes-changed') {
          patchMute(client, event);
          updateMutes();
        }
        if (event.kind === 'follows-changed') {
          patchFollow(client, event);
          updateFollows();
        }
      }
    },
    onMissed() {
      updateNotifications();
      updateFollows();
      updateBookmarks();
      updateMutes();
      void client.invalidateQueries({ queryKey: tagQueryKeys.all });
      void client.invalidateQueries({ queryKey: questionKeys.all });
    },
  });
  return null;
}

/** Whether the member can see the unread count now. */
const isPageFocused = () => document.visibilityState === 'visible' && document.hasFocus();

/** Refetches the email address and the list of active sessions if a page shows them. */
function refreshAccount(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  void client.invalidateQueries({ queryKey: ['settings', 'email-address'] });
  void client.invalidateQueries({ queryKey: ['settings', 'sessions'] });
}

function patchFollow(client: QueryClient, event: Extract<MemberEvent, { kind: 'follows-changed' }>): void {
  const { following } = event;
  if ('tag' in event) return applyTagFollowEvent(client, event.tag, following);
  const { questionId: id } = event;
  updateCachedQuestion(client, id, (page) => patchPost(page, { kind: 'question', id }, { following }));
}

function patchMute(client: QueryClient, event: Extract<MemberEvent, { kind: 'mutes-changed' }>): void {
  const { muted } = event;
  if ('tag' in event) return applyTagMute(client, event.tag, muted);
  const { questionId: id } = event;
  updateCachedQuestion(client, id, (page) => patchPost(page, { kind: 'question', id }, { muted }));
}

function patchVote(client: QueryClient, event: Extract<MemberEvent, { kind: 'vote-changed' }>): void {
  const { questionId, post: kind, id, vote: myVote } = event;
  updateCachedQuestion(client, questionId, (page) => patchPost(page, { kind, id }, { myVote }));
}

function patchBookmark(client: QueryClient, event: Extract<MemberEvent, { kind: 'bookmarked' }>): void {
  const { questionId, bookmarked } = event;
  const post: PostRef =
    'answerId' in event ? { kind: 'answer', id: event.answerId } : { kind: 'question', id: questionId };
  updateCachedQuestion(client, questionId, (page) => patchPost(page, post, { bookmarked }));
}
