import { t } from '@lingui/core/macro';
import { useRouter, usePageSearch } from '#web/core/router.ts';
import { Link } from './Link.tsx';
import { type ReactNode, useEffect } from 'react';
import { Logo } from './Logo.tsx';
import { LanguageSelect } from './LanguageSelect.tsx';
import { ThemeButton } from './ThemeButton.tsx';
import { paths } from '#web/core/paths.ts';
import { useCachedSession, useHasSiteLinks, useMember, useSiteName } from '#web/core/session.ts';
import { SiteLinks } from './SiteLinks.tsx';
import classes from './VisitorFrame.module.css';
import { parseVisitorSearch } from '#web/core/page-search.ts';

/**
 * The layout of pages that need no sign-in.
 * @param wide for pages to read, instead of forms
 */
export function VisitorFrame({ wide, children }: { wide?: boolean; children: ReactNode }) {
  const isPublic = useCachedSession()?.publicReading === true;
  const hasLinks = useHasSiteLinks();
  const siteName = useSiteName();
  return (
    <div className={classes.frame}>
      <header className={classes.header}>
        <Link href={isPublic ? '/' : '/login'} className={classes.brand} aria-label={siteName}>
          <Logo size={30} />
          <span>{siteName}</span>
        </Link>
        <ThemeButton />
      </header>
      <main id="main" tabIndex={-1} className={classes.main} data-wide={wide}>
        {children}
      </main>
      <footer className={classes.footer}>
        {hasLinks && <SiteLinks />}
        <LanguageSelect label={t`Language`} />
      </footer>
    </div>
  );
}

/**
 * The layout of /login and /register. After a sign-in, here or in another tab, it navigates to the page that was
 * requested first.
 */
export function VisitorLayout({ children }: { children: ReactNode }) {
  const router = useRouter();
  const { next } = usePageSearch(parseVisitorSearch);
  const signedIn = useMember() !== null;
  const isApplicant = useCachedSession()?.account !== undefined;
  useEffect(() => {
    if (!signedIn && !isApplicant) return;
    const target = signedIn ? (next ?? paths.home) : paths.application;
    // Back then leads to the page before it, not to the same page again.
    if (router.location.state.previous === target) history.back();
    else void router.navigate(target, { replace: true });
  }, [signedIn, isApplicant, next, router]);

  return <VisitorFrame>{children}</VisitorFrame>;
}
