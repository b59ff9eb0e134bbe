import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
  type InfiniteData,
  type QueryClient,
} from '@tanstack/react-query';
import type { Notification, NotificationFilter, Notifications } from '#shared/notifications.ts';
import { api, read } from '#web/platform/api.ts';
import { logFailure } from '#web/platform/log.ts';

/** Under which keys the cache holds notifications; what patches it uses these. */
export const notificationKeys = {
  all: ['notifications'],
  /** The newest page, with the unread count: what the bell shows. */
  newest: ['notifications', 'newest'],
  list: (filter: NotificationFilter) => ['notifications', 'list', filter],
} as const;

const minuteMs = 60_000;

/** For the bell and the count in the title, also while the page is in the background. */
export const newestNotificationsQuery = queryOptions({
  queryKey: notificationKeys.newest,
  queryFn: ({ signal }) => read(api.notifications.$get({ query: {} }, { init: { signal } })),
  refetchInterval: minuteMs,
  refetchIntervalInBackground: true,
  refetchOnWindowFocus: 'always',
});

/** /notifications, a page at a time, newest first. */
export function notificationsQuery(filter: NotificationFilter) {
  return infiniteQueryOptions({
    queryKey: notificationKeys.list(filter),
    queryFn: ({ pageParam: cursor, signal }) =>
      read(
        api.notifications.$get(
          { query: { filter, ...(cursor === null ? {} : { cursor }) } },
          { init: { signal } },
        ),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });
}

/** The member looks at the bell: what is new need not be mailed at once, nor pushed. If it gets lost, it is. */
export function noteSeen(): void {
  read(api.notifications.seen.$put()).catch((error: unknown) => logFailure('Saying what is seen', error));
}

export function useUnreadCount(): number {
  return useQuery(newestNotificationsQuery).data?.unreadCount ?? 0;
}

/** Marks one read; shown at once, and back again when the server refuses. */
export function useMarkRead() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (notification: Notification) =>
      read(api.notifications[':id'].read.$put({ param: { id: String(notification.id) } })),
    onMutate: (notification) => {
      const before = snapshot(client);
      if (!notification.read)
        patchNotifications(client, (page) => ({
          ...page,
          items: page.items.map((item) => (item.id === notification.id ? asRead(item) : item)),
          unreadCount: Math.max(0, page.unreadCount - 1),
        }));
      return before;
    },
    onError: (error, _, before) => {
      logFailure('Marking a notification read', error);
      before?.restore();
    },
    onSettled: () => client.invalidateQueries({ queryKey: notificationKeys.newest }),
  });
}

/** Marks all read that have been loaded or are older; what arrives meanwhile stays unread. */
export function useMarkAllRead() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (upTo: number | null) => read(api.notifications.read.$put({ json: { upTo } })),
    onMutate: (upTo) => {
      const before = snapshot(client);
      patchNotifications(client, (page) => ({
        ...page,
        items: page.items.map((item) => (upTo === null || item.id <= upTo ? asRead(item) : item)),
        unreadCount: 0,
      }));
      return before;
    },
    onError: (error, _, before) => {
      logFailure('Marking all notifications read', error);
      before?.restore();
    },
    onSettled: () => client.invalidateQueries({ queryKey: notificationKeys.all }),
  });
}

/** Changes every page of notifications that the cache holds, the bell's and those of the lists. */
function patchNotifications(client: QueryClient, change: (page: Notifications) => Notifications): void {
  client.setQueryData<Notifications>(notificationKeys.newest, (page) => page && change(page));
  for (const filter of ['all', 'unread'] as const)
    client.setQueryData<InfiniteData<Notifications>>(
      notificationKeys.list(filter),
      (data) => data && { ...data, pages: data.pages.map(change) },
    );
}

function snapshot(client: QueryClient) {
  const kept = client.getQueriesData({ queryKey: notificationKeys.all });
  return {
    restore: () => {
      for (const [key, data] of kept) client.setQueryData(key, data);
    },
  };
}

function asRead(notification: Notification): Notification {
  if (notification.read) return notification;
  return { ...notification, read: true, readAt: new Date().toISOString() };
}
