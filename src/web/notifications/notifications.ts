import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
  type InfiniteData,
  type QueryClient,
} from '@tanstack/react-query';
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

/** /notifications, one page at a time, newest first. */
export function notificationsQuery(filter: NotificationFilter) {
  return infiniteQueryOptions({
    queryKey: notificationKeys.list(filter),
    queryFn: async ({ pageParam: cursor, signal, client }) => {
      const query = { filter, ...(cursor === null ? {} : { cursor }) };
      return applyPendingMarks(
        client,
        await readJson(api.notifications.$get({ query }, { init: { signal } })),
      );
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });
}

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
type ReadMark = { notification: Notification } | { upTo: number | null };

const markReadKey = ['mark-read'];

/**
 * Marks one notification read. The change is optimistic and is reverted if the server refuses. The list of unread ones
 * shows it until it is left.
 */
export function useMarkRead() {
  return useMarkMutation({
    save: ({ notification }: { notification: Notification }) =>
      readJson(api.notifications[':id'].read.$put({ param: { id: String(notification.id) } })),
    invalidates: notificationKeys.newest,
    log: (error) => logFailure('Marking a notification read', error),
  });
}

/** Marks all notifications read that are loaded or older. New ones stay unread. */
export function useMarkAllRead() {
  return useMarkMutation({
    save: ({ upTo }: { upTo: number | null }) => readJson(api.notifications.read.$put({ json: { upTo } })),
    invalidates: notificationKeys.all,
    log: (error) => logFailure('Marking all notifications read', error),
  });
}

type MarkReadOptions<Made> = {
  save: (mark: Made) => Promise<unknown>;
  /** The query key to invalidate afterwards. */
  invalidates: readonly string[];
  log: (error: Error) => void;
};

function useMarkMutation<Made extends ReadMark>({ save, invalidates, log }: MarkReadOptions<Made>) {
  const client = useQueryClient();
  return useMutation({
    mutationKey: markReadKey,
    mutationFn: save,
    onMutate: (mark) => {
      const before = snapshot(client);
      patchNotifications(client, (page) => applyMark(page, mark));
      return before;
    },
    onError: (error, _, before) => {
      log(error);
      before?.restore();
    },
    // Not awaited: the mutation would stay pending and also mark notifications that arrive in this fetch.
    onSettled: () => void client.invalidateQueries({ queryKey: invalidates }),
  });
}

function applyMark(page: Notifications, mark: ReadMark): Notifications {
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
function applyPendingMarks(client: QueryClient, page: Notifications): Notifications {
  const pending = client.getMutationCache().findAll({ mutationKey: markReadKey, status: 'pending' });
  return pending.reduce((marked, { state }) => applyMark(marked, state.variables as ReadMark), page);
}

/** Changes every cached page of notifications, in the menu and in the lists. */
function patchNotifications(client: QueryClient, change: (page: Notifications) => Notifications): void {
  client.setQueryData<Notifications>(notificationKeys.newest, (page) => page && change(page));
  for (const filter of ['all', 'unread'] as const)
    client.setQueryData<InfiniteData<Notifications>>(
      notificationKeys.list(filter),
      (data) => data && { ...data, pages: data.pages.map(change) },
    );
}

function snapshot(client: QueryClient) {
  const saved = client.getQueriesData({ queryKey: notificationKeys.all });
  return {
    restore: () => {
      for (const [key, data] of saved) client.setQueryData(key, data);
    },
  };
}

function asRead(notification: Notification): Notification {
  if (notification.read) return notification;
  return { ...notification, read: true, readAt: new Date().toISOString() };
}
