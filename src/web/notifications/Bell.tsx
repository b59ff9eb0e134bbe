import { t } from '@lingui/core/macro';
import { ActionIcon, Popover } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconBell } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { limits } from '#shared/limits.ts';
import type { Notifications } from '#shared/notifications.ts';
import { ApiError } from '#web/platform/errors.ts';
import { paths } from '#web/platform/paths.ts';
import { setUnreadInTitle } from '#web/platform/title.ts';
import { PathLink } from '#web/ui/PathLink.tsx';
import { MarkAllRead } from './MarkAllRead.tsx';
import { NotificationList } from './NotificationList.tsx';
import { newestNotificationsQuery, unreadInWords } from './notifications.ts';
import { UnreadBadge } from './UnreadBadge.tsx';
import classes from './Bell.module.css';

/** The bell in the top bar: how many are unread, and the newest of them. */
export function Bell({ className }: { className: string }) {
  const { data, error, refetch } = useQuery(newestNotificationsQuery);
  const [opened, setOpened] = useState(false);
  const count = data?.unreadCount ?? 0;
  const unread = unreadInWords(count);
  const label = count === 0 ? t`Notifications` : t`Notifications, ${unread} unread`;

  useEffect(() => {
    setUnreadInTitle(count);
    return () => setUnreadInTitle(0);
  }, [count]);

  function change(open: boolean) {
    setOpened(open);
    if (open) void refetch();
  }

  return (
    <Popover
      opened={opened}
      onChange={change}
      position="bottom-end"
      width="min(24rem, calc(100vw - 1rem))"
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <ActionIcon
          size={44}
          className={className}
          aria-label={label}
          title={label}
          onClick={() => change(!opened)}
        >
          <IconBell size={20} stroke={1.6} aria-hidden />
          <span className={classes.badge}>
            <UnreadBadge count={count} />
          </span>
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown className={classes.menu ?? ''}>
        <Menu page={data} error={error} onClose={() => setOpened(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Menu({
  page,
  error,
  onClose,
}: {
  page: Notifications | undefined;
  error: Error | null;
  onClose: () => void;
}) {
  const items = page?.items ?? [];
  return (
    <>
      <div className={classes.head}>
        <h2 className={classes.title}>{t`Notifications`}</h2>
        <MarkAllRead newest={items[0]?.id ?? null} unread={page?.unreadCount ?? 0} />
      </div>
      <div className={classes.list}>
        {page === undefined && error instanceof ApiError && (
          <p className={classes.note}>
            {t`The notifications could not be loaded.`} {error.message}
          </p>
        )}
        {page !== undefined && items.length === 0 && (
          <p className={classes.note}>{t`Answers, replies and upvotes to what you write show up here.`}</p>
        )}
        <NotificationList notifications={items.slice(0, limits.bell)} compact onOpen={onClose} />
      </div>
      {items.length > limits.bell && (
        <PathLink href={paths.notifications} className={classes.all} onClick={onClose}>
          {t`View all notifications`}
        </PathLink>
      )}
    </>
  );
}
