import { t } from '@lingui/core/macro';
import { NavigationLink } from '#web/ui/Link.tsx';
import { IconHash, IconHome, IconRss, IconUser } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { isPublicPath, paths } from '#web/core/paths.ts';
import { useMember } from '#web/core/session.ts';
import { type NavigationTarget, getSavedLinks } from '#web/ui/SavedLinks.tsx';
import classes from './Sidebar.module.css';

/** The same links for every member (docs/product.md 18.4). Visitors have those of the pages that they may read. */
const main = (): NavigationTarget[] => [
  { to: paths.home, label: t`Home`, Icon: IconHome },
  { to: paths.following, label: t`Following`, Icon: IconRss },
  { to: paths.tags, label: t`Topics`, Icon: IconHash },
  { to: paths.profile, label: t`Your Profile`, Icon: IconUser },
];

/** @param children below the links */
export function Sidebar({ children }: { children: ReactNode }) {
  const isVisitor = useMember() === null;
  if (isVisitor)
    return (
      <div className={classes.sidebar}>
        <nav aria-label={t`Main`}>
          <Links links={main().filter(({ to }) => isPublicPath(to))} />
        </nav>
        {children}
      </div>
    );
  return (
    <div className={classes.sidebar}>
      <nav aria-label={t`Main`}>
        <Links links={main()} />
      </nav>
      <nav aria-labelledby="sidebar-yours" className={classes.saved}>
        <p id="sidebar-yours" className={classes.title}>
          {t`Saved`}
        </p>
        <Links links={getSavedLinks()} />
      </nav>
      {children}
    </div>
  );
}

function Links({ links }: { links: readonly NavigationTarget[] }) {
  return (
    <ul className={classes.list}>
      {links.map(({ to, label, Icon }) => (
        <li key={label}>
          <NavigationLink href={to} className={classes.link}>
            <Icon size={20} stroke={1.6} aria-hidden />
            {label}
          </NavigationLink>
        </li>
      ))}
    </ul>
  );
}
