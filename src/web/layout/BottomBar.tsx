import { Link } from '@tanstack/react-router';
import { IconBell, IconHash, IconHome, IconPencilPlus, IconRss } from '@tabler/icons-react';
import { useUnreadCount } from '#web/notifications/notifications.ts';
import { UnreadBadge } from '#web/notifications/UnreadBadge.tsx';
import { paths } from '#web/platform/paths.ts';
import { useKeyboard } from './useKeyboard.ts';
import classes from './BottomBar.module.css';

const links = [
  { to: paths.home, label: 'Home', Icon: IconHome },
  { to: paths.topics, label: 'Topics', Icon: IconHash },
  { to: paths.ask, label: 'Ask', Icon: IconPencilPlus },
  { to: paths.following, label: 'Following', Icon: IconRss },
  { to: paths.notifications, label: 'Alerts', Icon: IconBell },
];

/** In the place of the sidebar, where the thumb is. */
export function BottomBar() {
  useKeyboard();
  const unread = useUnreadCount();
  return (
    <nav aria-label="Main" className={classes.bar}>
      {links.map(({ to, label, Icon }) => (
        <Link
          key={label}
          to={to}
          activeOptions={{ exact: true, includeSearch: false }}
          className={classes.link}
          aria-label={to === paths.notifications && unread > 0 ? `${label}, ${unread} unread` : undefined}
        >
          <Icon size={22} stroke={1.6} aria-hidden />
          {label}
          {to === paths.notifications && (
            <span className={classes.badge}>
              <UnreadBadge count={unread} />
            </span>
          )}
        </Link>
      ))}
    </nav>
  );
}
