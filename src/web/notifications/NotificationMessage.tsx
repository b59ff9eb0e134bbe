import { Trans } from '@lingui/react';
import { notificationKinds } from '#shared/notifications/notification-kinds.ts';
import type { Notification } from '#shared/notifications/notifications.ts';
import classes from './NotificationList.module.css';

/** The message of a notification (docs/product.md 12.3) in the current language. */
export function NotificationMessage({ of: { kind, senderName, title } }: { of: Notification }) {
  // Text by members has its own direction, and a long name is truncated in favor of the event.
  const name = (
    <bdi className={classes.senderName} title={senderName}>
      {senderName}
    </bdi>
  );
  return (
    <Trans
      id={`notification.${kind}`}
      message={notificationKinds[kind].message}
      values={{ name, title: <bdi>{title}</bdi> }}
    />
  );
}
