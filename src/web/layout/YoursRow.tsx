import { t } from '@lingui/core/macro';
import { Link } from '@tanstack/react-router';
import { IconChevronRight } from '@tabler/icons-react';
import { getSavedLinks } from './links.ts';
import classes from './YoursRow.module.css';

/** The navigation 'Saved' where there is no sidebar: on the member's own profile. */
export function SavedLinks() {
  return (
    <nav aria-label={t`Saved`} className={classes.row}>
      <ul className={classes.list}>
        {getSavedLinks().map(({ to, label, Icon }) => (
          <li key={label}>
            <Link to={to} className={classes.link}>
              <Icon size={20} stroke={1.6} aria-hidden />
              {label}
              <IconChevronRight size={18} stroke={1.6} aria-hidden className={classes.onward} />
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
