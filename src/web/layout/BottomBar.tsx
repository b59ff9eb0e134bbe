import { t } from '@lingui/core/macro';
import { Link } from '@tanstack/react-router';
import { IconBell, IconHash, IconHome, IconPencilPlus, IconRss } from '@tabler/icons-react';
import { unreadInWords, useUnreadCount } from '#web/notifications/notifications.ts';
import { UnreadBadge } from '#web/notifications/UnreadBadge.tsx';
import { paths } from '#web/platform/paths.ts';
import { useKeyboard } from './useKeyboard.ts';
import classes from './BottomBar.module.css';

const links = () => [
  { to: paths.home, label: t`Home`, Icon: IconHome },
  { to: paths.topics, label: t`Topics`, Icon: IconHash },
  { to: paths.ask, label: t`Ask`, Icon: IconPencilPlus },
  { to: paths.following, label: t`Following`, Icon: IconRss },
  { to: paths.notifications, label: t`Alerts`, Icon: IconBell },
];

/** In the place of the sidebar, where the thumb is. */
export function BottomBar() {
  useKeyboard();
  const count = useUnreadCount();
  const unread = unreadInWords(count);
  return (
    <nav aria-label={t`Main`} className={classes.bar}>
      {links().map(({ to, label, Icon }) => (
        <Link
          key={label}
          to={to}
          activeOptions={{ exact: true, includeSearch: false }}
          className={classes.link}
          aria-label={to === paths.notifications && count > 0 ? t`${label}, ${unread} unread` : undefined}
        >
          <Icon size={22} stroke={1.6} aria-hidden />
          {label}
          {to === paths.notifications && (
            <span className={classes.badge}>
              <UnreadBadge count={count} />
            </span>
          )}
        </Link>
      ))}
    </nav>
  );
}
