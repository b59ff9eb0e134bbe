import { t } from '@lingui/core/macro';
import { Popover } from '#web/ui/mantine/Popover.tsx';
import { limits } from '#shared/core/limits.ts';
import type { Notifications } from '#shared/notifications/notifications.ts';
import { ApiError } from '#web/core/errors.ts';
import { paths } from '#web/core/paths.ts';
import { ExternalTarget, useOpenAfterMount } from '#web/ui/lazy-popover.tsx';
import { type FailedQuery, LoadError } from '#web/ui/LoadError.tsx';
import { Link } from '#web/ui/Link.tsx';
import { MarkAllReadButton, NotificationList, NotificationSkeletons } from './NotificationList.tsx';
import classes from './NotificationMenu.module.css';

type MenuProps = { page: Notifications | undefined; query: FailedQuery; onClose: () => void };

/** The menu of the notification button. Loaded when it is first opened. */
export default function NotificationMenu({
  button,
  opened,
  ...shown
}: MenuProps & { button: HTMLElement | null; opened: boolean }) {
  return (
    <Popover
      opened={useOpenAfterMount(opened)}
      onChange={(open) => open || shown.onClose()}
      position="bottom-end"
      width="min(24rem, calc(100vw - 1rem))"
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <ExternalTarget button={button} />
      </Popover.Target>
      <Popover.Dropdown aria-labelledby={button?.id} className={classes.menu ?? ''}>
        <MenuContent {...shown} />
      </Popover.Dropdown>
    </Popover>
  );
}

function MenuContent({ page, query, onClose }: MenuProps) {
  const items = page?.items ?? [];
  return (
    <>
      <div className={classes.head}>
        <h2 className={classes.title}>{t`Notifications`}</h2>
        <MarkAllReadButton newest={items[0]?.id ?? null} unread={page?.unreadCount ?? 0} />
      </div>
      <div className={classes.list}>
        {page === undefined && query.error instanceof ApiError && (
          <div className={classes.failure}>
            <LoadError text={t`The notifications could not be loaded.`} query={query} />
          </div>
        )}
        {page === undefined && query.error === null && <NotificationSkeletons part />}
        {page !== undefined && items.length === 0 && (
          <p className={classes.note}>{t`Answers, replies and upvotes on your posts show up here.`}</p>
        )}
        <NotificationList notifications={items.slice(0, limits.notificationsMenu)} compact onOpen={onClose} />
      </div>
      {items.length > limits.notificationsMenu && (
        <Link href={paths.notifications} className={classes.all} onClick={onClose}>
          {t`View all notifications`}
        </Link>
      )}
    </>
  );
}
