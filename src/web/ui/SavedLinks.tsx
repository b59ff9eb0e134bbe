import { t } from '@lingui/core/macro';
import { Link } from './Link.tsx';
import { IconBookmarks, IconChevronRight, IconPencil, type TablerIcon } from '@tabler/icons-react';
import classes from './SavedLinks.module.css';
import { paths } from '#web/core/paths.ts';

/** The navigation 'Saved' where there is no sidebar: on the member's own profile. */
export function SavedLinks() {
  return (
    <nav aria-label={t`Saved`} className={classes.row}>
      <ul className={classes.list}>
        {getSavedLinks().map(({ to, label, Icon }) => (
          <li key={label}>
            <Link href={to} className={classes.link}>
              <Icon size={20} stroke={1.6} aria-hidden />
              {label}
              <IconChevronRight size={18} stroke={1.6} aria-hidden className={classes.chevron} />
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

export type NavigationTarget = { to: string; label: string; Icon: TablerIcon };

/** The private lists of a member: the navigation 'Saved', next to every page or, on phones, on the own profile. */
export const getSavedLinks = (): NavigationTarget[] => [
  { to: paths.bookmarks, label: t`Bookmarks`, Icon: IconBookmarks },
  { to: paths.drafts, label: t`Drafts`, Icon: IconPencil },
];
