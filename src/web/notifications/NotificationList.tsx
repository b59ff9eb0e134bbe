import { t } from '@lingui/core/macro';
import { VisuallyHidden } from '@mantine/core';
import type { Notification } from '#shared/notifications.ts';
import { Avatar } from '#web/ui/Avatar.tsx';
import { PathLink } from '#web/ui/PathLink.tsx';
import { Time } from '#web/ui/Time.tsx';
import { useMarkRead } from './notifications.ts';
import classes from './NotificationList.module.css';

/** Notifications, newest first; opening one marks it read and leads to what it tells of. */
export function NotificationList({
  notifications,
  compact = false,
  onOpen,
}: {
  notifications: readonly Notification[];
  /** Long messages are cut: in the bell's menu. */
  compact?: boolean;
  onOpen?: () => void;
}) {
  const { mutate: markRead } = useMarkRead();

  function open(notification: Notification) {
    if (!notification.read) markRead(notification);
  }

  return (
    <ul className={classes.list} data-compact={compact || undefined}>
      {notifications.map((notification) => (
        <li key={notification.id}>
          <PathLink
            href={notification.link}
            className={classes.item}
            data-unread={!notification.read || undefined}
            data-shortcut-stop={compact ? undefined : true}
            onClick={(event) => {
              open(notification);
              // With a modifier the link opens elsewhere, and what is open here stays.
              if (!event.ctrlKey && !event.metaKey && !event.shiftKey) onOpen?.();
            }}
            onAuxClick={(event) => {
              if (event.button === 1) open(notification);
            }}
          >
            <Avatar id={notification.senderId} name={notification.senderName} size={32} />
            <span className={classes.text}>
              {!notification.read && <VisuallyHidden>{t`Unread:`} </VisuallyHidden>}
              <span className={classes.message} dir="auto">
                {notification.message}
              </span>
              <span className={classes.time}>
                <Time at={notification.createdAt} />
              </span>
            </span>
          </PathLink>
        </li>
      ))}
    </ul>
  );
}
