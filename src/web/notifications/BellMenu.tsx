import { t } from '@lingui/core/macro';
import { Popover } from '@mantine/core';
import { limits } from '#shared/limits.ts';
import type { Notifications } from '#shared/notifications.ts';
import { ApiError } from '#web/platform/errors.ts';
import { paths } from '#web/platform/paths.ts';
import { TargetElsewhere, useOpenedLater } from '#web/ui/floating.tsx';
import { type Failed, NotLoaded } from '#web/ui/NotLoaded.tsx';
import { PathLink } from '#web/ui/PathLink.tsx';
import { MarkAllRead } from './MarkAllRead.tsx';
import { NotificationList } from './NotificationList.tsx';
import { NotificationSkeletons } from './NotificationSkeletons.tsx';
import classes from './BellMenu.module.css';

type Shown = { page: Notifications | undefined; query: Failed; onClose: () => void };

/** What the bell opens; loaded when it is first wanted. */
export default function BellMenu({
  button,
  opened,
  ...shown
}: Shown & { button: HTMLElement | null; opened: boolean }) {
  return (
    <Popover
      opened={useOpenedLater(opened)}
      onChange={(open) => open || shown.onClose()}
      position="bottom-end"
      width="min(24rem, calc(100vw - 1rem))"
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <TargetElsewhere button={button} />
      </Popover.Target>
      <Popover.Dropdown aria-labelledby={button?.id} className={classes.menu ?? ''}>
        <Menu {...shown} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Menu({ page, query, onClose }: Shown) {
  const items = page?.items ?? [];
  return (
    <>
      <div className={classes.head}>
        <h2 className={classes.title}>{t`Notifications`}</h2>
        <MarkAllRead newest={items[0]?.id ?? null} unread={page?.unreadCount ?? 0} />
      </div>
      <div className={classes.list}>
        {page === undefined && query.error instanceof ApiError && (
          <div className={classes.failure}>
            <NotLoaded text={t`The notifications could not be loaded.`} query={query} />
          </div>
        )}
        {page === undefined && query.error === null && <NotificationSkeletons part />}
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
