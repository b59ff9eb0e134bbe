import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { VisuallyHidden } from '#web/ui/VisuallyHidden.tsx';
import {
  IconArrowBackUp,
  IconArrowBigUp,
  IconAt,
  IconCheck,
  IconMessage,
  IconPencil,
  IconShield,
  IconUserCheck,
  IconUserPlus,
  IconWebhook,
  type TablerIcon,
} from '@tabler/icons-react';
import { Trans } from '@lingui/react';
import { type NotificationKind, notificationKinds } from '#shared/notifications/notification-kinds.ts';
import type { Notification } from '#shared/notifications/notifications.ts';
import { Avatar } from '#web/ui/Avatar.tsx';
import { Link } from '#web/ui/Link.tsx';
import { useSwipe } from '#web/ui/useSwipe.ts';
import { Time } from '#web/ui/Time.tsx';
import { useMarkAllRead, useMarkRead } from './notification-lists.ts';
import classes from './NotificationList.module.css';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';

/**
 * Notifications, newest first. Opening one marks it read and navigates to its post. The button, or a swipe to either
 * side, only marks it read.
 */
export function NotificationList({
  notifications,
  compact = false,
  onOpen,
}: {
  notifications: readonly Notification[];
  /** Truncates long messages, for the menu. */
  compact?: boolean;
  onOpen?: () => void;
}) {
  return (
    <ul className={classes.list} data-compact={compact || undefined}>
      {notifications.filter(isKnown).map((notification) => (
        <NotificationItem
          key={notification.id}
          notification={notification}
          compact={compact}
          {...(onOpen !== undefined && { onOpen })}
        />
      ))}
    </ul>
  );
}

function NotificationItem({
  notification,
  compact,
  onOpen,
}: {
  notification: Notification;
  compact: boolean;
  onOpen?: () => void;
}) {
  const { mutate: markRead } = useMarkRead();
  const swipe = useSwipe<HTMLLIElement>('inline', markAsRead, (line) => line.querySelector('a'));

  function markAsRead() {
    if (!notification.read) markRead({ notification });
  }

  return (
    <li className={classes.line} {...(!notification.read && swipe)}>
      <Link
        href={notification.link}
        className={classes.item}
        data-unread={!notification.read || undefined}
        data-shortcut-stop={compact ? undefined : true}
        onClick={(event) => {
          markAsRead();
          // With a modifier key the link opens elsewhere, and the menu stays open.
          if (!event.ctrlKey && !event.metaKey && !event.shiftKey) onOpen?.();
        }}
        onAuxClick={(event) => {
          if (event.button === 1) markAsRead();
        }}
      >
        <span className={classes.who}>
          {notification.senderId === null ? (
            <IconShield size={36} stroke={1.4} aria-hidden />
          ) : (
            <>
              <Avatar
                id={notification.senderId}
                name={notification.senderName}
                avatar={notification.senderAvatar}
                size={36}
              />
              <KindIcon of={notification.kind} />
            </>
          )}
        </span>
        <span className={classes.text}>
          {!notification.read && <VisuallyHidden>{t`Unread:`} </VisuallyHidden>}
          <span className={classes.message}>
            <NotificationMessage of={notification} />
          </span>
          <span className={classes.time}>
            <Time at={notification.createdAt} />
            {notification.title !== '' && !namesTitle(notification) && (
              <>
                {' · '}
                <bdi>{notification.title}</bdi>
              </>
            )}
          </span>
        </span>
      </Link>
      {!notification.read && (
        <button
          type="button"
          className={classes.mark}
          aria-label={t`Mark read`}
          title={t`Mark read`}
          onClick={(event) => {
            // The button disappears when it is pressed.
            event.currentTarget.closest('li')?.querySelector('a')?.focus();
            markAsRead();
          }}
        >
          <IconCheck size={18} stroke={2} aria-hidden />
        </button>
      )}
    </li>
  );
}

const kindIcons: Readonly<Record<NotificationKind, TablerIcon>> = {
  answer: IconMessage,
  followed_answer: IconMessage,
  reply_to_question: IconArrowBackUp,
  reply_to_answer: IconArrowBackUp,
  reply_to_reply: IconArrowBackUp,
  vote_question: IconArrowBigUp,
  vote_answer: IconArrowBigUp,
  vote_reply: IconArrowBigUp,
  accepted: IconCheck,
  accepted_followed: IconCheck,
  mention: IconAt,
  edit_suggested: IconPencil,
  edit_approved: IconPencil,
  edit_rejected: IconPencil,
  edited: IconPencil,
  review: IconShield,
  application: IconUserPlus,
  profile_claim: IconUserCheck,
  webhook: IconWebhook,
};

/** On a page that stayed open during an upgrade, the server can send a kind that it added. */
const isKnown = ({ kind }: Notification) => kind in kindIcons;

/** Whether the message says which question it is about. */
const namesTitle = ({ kind }: Notification) => notificationKinds[kind].message.includes('{title}');

/** An icon for the kind. The message says the same in words. */
function KindIcon({ of }: { of: NotificationKind }) {
  const Icon = kindIcons[of];
  return (
    <span className={classes.kind} data-kind={of}>
      <Icon size={13} stroke={2.2} aria-hidden />
    </span>
  );
}

/**
 * Stays focusable when there is nothing to mark, so that the keyboard focus is not lost.
 * @param newest the id of the newest notification on the page; null if there is none.
 */
export function MarkAllReadButton({ newest, unread }: { newest: number | null; unread: number }) {
  const markAll = useMarkAllRead();
  // Without a list, it would mark notifications that were never shown.
  const isDisabled = newest === null || unread === 0 || markAll.isPending;
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      className={classes.markAllRead ?? ''}
      {...(isDisabled && { 'data-disabled': true })}
      aria-disabled={isDisabled}
      onClick={() => {
        if (!isDisabled) markAll.mutate({ upTo: newest });
      }}
    >
      {t`Mark all read`}
    </Button>
  );
}

const widths = ['70%', '55%', '80%', '62%', '74%', '48%'];

/** The placeholder of a list of notifications. */
export function NotificationSkeletons({ part = false }: { part?: boolean }) {
  return (
    <LoadingRegion label={t`Loading notifications`} part={part}>
      {widths.map((width) => (
        <span key={width} className={classes.item}>
          <Skeleton width="36px" height="36px" round />
          <span style={{ display: 'grid', flex: 1, gap: '0.5rem' }}>
            <Skeleton width={width} />
            <Skeleton width="6rem" height="0.8125rem" />
          </span>
        </span>
      ))}
    </LoadingRegion>
  );
}

/** The message of a notification (docs/product.md 12.3) in the current language. */
function NotificationMessage({ of: { kind, senderName, title } }: { of: Notification }) {
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
