import { t } from '@lingui/core/macro';
import { IconButton } from '#web/ui/Button.tsx';
import { useQuery } from '@tanstack/react-query';
import { IconBell } from '@tabler/icons-react';
import { type MouseEvent, Suspense, useEffect, useId, useState } from 'react';
import { onEscape } from '#web/core/composition.ts';
import { lazyComponent } from '#web/core/lazy.ts';
import { setUnreadInTitle } from '#web/ui/PageHeading.tsx';
import { preloadOnIntent } from '#web/ui/lazy-popover.tsx';
import { newestNotificationsQuery } from './notifications.ts';
import classes from './NotificationButton.module.css';

const loadMenu = () => import('./NotificationMenu.tsx');
const NotificationMenu = lazyComponent(loadMenu);
const intent = preloadOnIntent(loadMenu);

/** The notification button of the top bar, with the unread count and the menu of the newest notifications. */
export function NotificationButton({ className }: { className: string }) {
  // Reading `error` subscribes to it: the menu's code may be loaded after the request has failed.
  const { data, error, refetch } = useQuery(newestNotificationsQuery);
  const id = useId();
  // Set when the button is pressed, as in AccountMenu.
  const [button, setButton] = useState<HTMLElement | null>(null);
  const [opened, setOpened] = useState(false);
  const unread = data?.unreadCount ?? 0;
  const label = unread === 0 ? t`Notifications` : t`Notifications, ${unread} unread`;

  useEffect(() => {
    setUnreadInTitle(unread);
    return () => setUnreadInTitle(0);
  }, [unread]);

  function press({ currentTarget }: MouseEvent<HTMLElement>) {
    setButton(currentTarget);
    setOpened(!opened);
    if (!opened) void refetch();
  }

  return (
    <>
      <IconButton
        id={id}
        size={44}
        className={className}
        aria-label={label}
        title={label}
        aria-haspopup="dialog"
        aria-expanded={opened}
        onClick={press}
        onKeyDown={onEscape(() => setOpened(false))}
        {...intent}
      >
        <IconBell size={20} stroke={1.6} aria-hidden />
        <span className={classes.badgePosition}>
          <UnreadBadge count={unread} />
        </span>
      </IconButton>
      {button !== null && (
        <Suspense>
          <NotificationMenu
            button={button}
            opened={opened}
            onClose={() => setOpened(false)}
            page={data}
            query={{ error, refetch }}
          />
        </Suspense>
      )}
    </>
  );
}

/**
 * The unread count, 99+ above 99 (docs/product.md 12.4). Hidden from screen readers: the button's name has the count.
 */
export function UnreadBadge({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <span className={classes.badge} aria-hidden="true">
      {count > 99 ? '99+' : count}
    </span>
  );
}
