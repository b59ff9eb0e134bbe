import { t } from '@lingui/core/macro';
import { VisuallyHidden } from '#web/ui/VisuallyHidden.tsx';
import { NavigationLink } from '#web/ui/Link.tsx';
import { IconBell, IconHash, IconHome, IconPencilPlus, IconRss } from '@tabler/icons-react';
import { useUnreadCount } from '#web/notifications/notifications.ts';
import { UnreadBadge } from '#web/notifications/NotificationButton.tsx';
import { isPublicPath, paths } from '#web/core/paths.ts';
import { useMember } from '#web/core/session.ts';
import { useOnScreenKeyboard } from './useOnScreenKeyboard.ts';
import classes from './BottomBar.module.css';

const links = () => [
  { to: paths.home, label: t`Home`, Icon: IconHome },
  { to: paths.tags, label: t`Topics`, Icon: IconHash },
  { to: paths.ask, label: t`Ask`, Icon: IconPencilPlus },
  { to: paths.following, label: t`Following`, Icon: IconRss },
  { to: paths.notifications, label: t`Notifications`, Icon: IconBell },
];

/** Replaces the sidebar on phones. */
export function BottomBar() {
  useOnScreenKeyboard();
  const unread = useUnreadCount();
  const isVisitor = useMember() === null;
  const visibleLinks = links().filter(({ to }) => !isVisitor || to === paths.ask || isPublicPath(to));
  return (
    <nav aria-label={t`Main`} className={classes.bar}>
      {visibleLinks.map(({ to, label, Icon }) => (
        <NavigationLink key={label} href={to} className={classes.link}>
          <Icon size={22} stroke={1.6} aria-hidden />
          {to === paths.notifications && unread > 0 ? (
            <>
              <span aria-hidden="true">{label}</span>
              <VisuallyHidden>{t`${label}, ${unread} unread`}</VisuallyHidden>
              <span className={classes.badge}>
                <UnreadBadge count={unread} />
              </span>
            </>
          ) : (
            label
          )}
        </NavigationLink>
      ))}
    </nav>
  );
}
