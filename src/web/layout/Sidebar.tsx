import { Link } from '@tanstack/react-router';
import { IconBookmark, IconHash, IconHome, IconUser } from '@tabler/icons-react';
import { paths } from '#web/platform/paths.ts';
import classes from './Sidebar.module.css';

const links = [
  { to: paths.home, label: 'Home', Icon: IconHome },
  { to: paths.following, label: 'Following', Icon: IconBookmark },
  { to: paths.topics, label: 'Topics', Icon: IconHash },
  { to: paths.profile, label: 'Your Profile', Icon: IconUser },
];

export function Sidebar() {
  return (
    <nav aria-label="Main" className={classes.sidebar}>
      <ul className={classes.list}>
        {links.map(({ to, label, Icon }) => (
          <li key={label}>
            <Link to={to} activeOptions={{ exact: true, includeSearch: false }} className={classes.link}>
              <Icon size={20} stroke={1.6} aria-hidden />
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
