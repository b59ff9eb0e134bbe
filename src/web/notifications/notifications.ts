import { queryOptions, useQuery, type QueryClient } from '@tanstack/react-query';
import type { Notification, NotificationFilter, Notifications } from '#shared/notifications/notifications.ts';
import { api, readJson } from '#web/core/api.ts';
import { logFailure } from '#web/core/errors.ts';
import { useMember } from '#web/core/session.ts';

/** The query keys of notifications. Live updates use them too. */
export const notificationKeys = {
  all: ['notifications'],
  /** The newest page with the unread count, for the menu. */
  newest: ['notifications', 'newest'],
  list: (filter: NotificationFilter) => ['notifications', 'list', filter],
} as const;

const minuteMs = 60_000;

/** For the menu and the count in the title, also while the page is in the background. */
export const newestNotificationsQuery = queryOptions({
  queryKey: notificationKeys.newest,
  queryFn: async ({ signal, client }) =>
    applyPendingMarks(client, await readJson(api.notifications.$get({ query: {} }, { init: { signal } }))),
  refetchInterval: minuteMs,
  refetchIntervalInBackground: true,
  refetchOnWindowFocus: 'always',
});

/**
 * Called when the member sees the notifications, so that new ones are neither emailed instantly nor pushed. If the
 * request fails, they are.
 */
export function markNotificationsSeen(): void {
  readJson(api.notifications.seen.$put()).catch((error: unknown) =>
    logFailure('Marking notifications seen', error),
  );
}

export function useUnreadCount(): number {
  const isSignedIn = useMember() !== null;
  return useQuery({ ...newestNotificationsQuery, enabled: isSignedIn }).data?.unreadCount ?? 0;
}

/** The notifications to mark as read: one, or all up to an id (null: all). */
export type ReadMark = { notification: Notification } | { upTo: number | null };

export const markReadKey = ['mark-read'];

export function applyMark(page: Notifications, mark: ReadMark): Notifications {
  if ('upTo' in mark) {
    const { upTo } = mark;
    const items = page.items.map((item) => (upTo === null || item.id <= upTo ? asRead(item) : item));
    return { ...page, items, unreadCount: 0 };
  }
  const { id, read } = mark.notification;
  if (read || page.items.some((item) => item.id === id && item.read)) return page;
  const items = page.items.map((item) => (item.id === id ? asRead(item) : item));
  return { ...page, items, unreadCount: Math.max(0, page.unreadCount - 1) };
}

/** Applies pending marks to a page that the server may have read before it saved them. */
export function applyPendingMarks(client: QueryClient, page: Notifications): Notifications {
  const pending = client.getMutationCache().findAll({ mutationKey: markReadKey, status: 'pending' });
  return pending.reduce((marked, { state }) => applyMark(marked, state.variables as ReadMark), page);
}

function asRead(notification: Notification): Notification {
  if (notification.read) return notification;
  return { ...notification, read: true, readAt: new Date().toISOString() };
}
