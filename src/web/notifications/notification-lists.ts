import {
  infiniteQueryOptions,
  useMutation,
  useQueryClient,
  type InfiniteData,
  type QueryClient,
} from '@tanstack/react-query';
import type { Notification, NotificationFilter, Notifications } from '#shared/notifications/notifications.ts';
import { api, readJson } from '#web/core/api.ts';
import { logFailure } from '#web/core/errors.ts';
import {
  applyMark,
  applyPendingMarks,
  markReadKey,
  notificationKeys,
  type ReadMark,
} from './notifications.ts';

// Not in notifications.ts, which a question page loads before it handles input.

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
 * Marks one notification read. The change is optimistic. If the server refuses it, the lists are fetched again. The list of unread ones
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
    onMutate: (mark) => patchNotifications(client, (page) => applyMark(page, mark)),
    onError: log,
    // Not awaited: the mutation would stay pending and also mark notifications that arrive in this fetch. After a failure
    // the lists are fetched: what they showed before would undo other marks, and remove pages that were loaded meanwhile.
    onSettled: (_, error) =>
      void client.invalidateQueries({ queryKey: error === null ? invalidates : notificationKeys.all }),
  });
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
