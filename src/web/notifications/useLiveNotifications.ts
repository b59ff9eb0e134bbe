import { type InfiniteData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import type { NotificationFilter, Notifications } from '#shared/notifications/notifications.ts';
import { type PendingNewItems, useLiveList } from '#web/core/live-list.ts';
import { newestNotificationsQuery } from './notifications.ts';
import { notificationsQuery } from './notification-lists.ts';

/** Adds new notifications to the page at its top or holds them back. */
export function useLiveNotifications(filter: NotificationFilter): PendingNewItems {
  const client = useQueryClient();
  const { queryKey } = notificationsQuery(filter);
  const { data: newest } = useQuery(newestNotificationsQuery);
  const loadedItems = () =>
    client.getQueryData<InfiniteData<Notifications>>(queryKey)?.pages.flatMap((page) => page.items);
  const arrivals = useLiveList<number>(
    queryKey,
    'notification',
    (id) => loadedItems()?.some((item) => item.id === id) ?? false,
  );
  const enter = useEffectEvent((items: Notifications['items']) => {
    const loaded = loadedItems();
    if (loaded === undefined) return;
    const latest = loaded[0]?.id ?? 0;
    for (const item of items)
      if (item.id > latest && (filter === 'all' || !item.read)) arrivals.addItem(item.id);
  });
  useEffect(() => {
    if (newest !== undefined) enter(newest.items);
  }, [newest]);
  return arrivals;
}
