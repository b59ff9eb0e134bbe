import { t } from '@lingui/core/macro';
import type { SitePageName } from '#shared/core/site-page-names.ts';
import { useCachedSession } from '#web/core/session.ts';
import { Link } from './Link.tsx';
import classes from './SiteLinks.module.css';

export const sitePageLabels: Readonly<Record<SitePageName, () => string>> = {
  about: () => t`About`,
  rules: () => t`Rules`,
  privacy: () => t`Privacy`,
};

/** Links to the pages of the site and those of the setting footerLinks. */
export function SiteLinks() {
  const { pages = [], footerLinks = [] } = useCachedSession() ?? {};
  return (
    <nav aria-label={t`About this site`}>
      <ul className={classes.list}>
        {pages.map((name) => (
          <li key={name}>
            <Link href={`/${name}`}>{sitePageLabels[name]()}</Link>
          </li>
        ))}
        {footerLinks.map(({ label, href }) => (
          <li key={`${label} ${href}`}>
            <a href={href}>{label}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
