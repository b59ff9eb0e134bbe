import { t } from '@lingui/core/macro';
import { Link, Outlet, useRouter, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { Logo } from './Logo.tsx';
import { LanguageSelect } from './LanguageSelect.tsx';
import { ThemeButton } from './ThemeButton.tsx';
import { useReportHydrated } from '#web/core/hydration.ts';
import { useCachedSession, useMember, useSiteName } from '#web/core/session.ts';
import classes from './VisitorFrame.module.css';

/** The layout of pages that need no sign-in. */
export function VisitorFrame({ children }: { children: ReactNode }) {
  const isPublic = useCachedSession()?.publicReading === true;
  const siteName = useSiteName();
  useReportHydrated();
  return (
    <div className={classes.frame}>
      <header className={classes.header}>
        <Link to={isPublic ? '/' : '/login'} className={classes.brand} aria-label={siteName}>
          <Logo size={30} />
          <span>{siteName}</span>
        </Link>
        <ThemeButton />
      </header>
      <main id="main" tabIndex={-1} className={classes.main}>
        {children}
      </main>
      <footer className={classes.footer}>
        <LanguageSelect label={t`Language`} />
      </footer>
    </div>
  );
}

/**
 * The layout of /login and /register. After a sign-in, here or in another tab, it navigates to the page that was
 * requested first.
 */
export function VisitorLayout() {
  const router = useRouter();
  const { next } = useSearch({ from: '/visitor' });
  const signedIn = useMember() !== null;
  useEffect(() => {
    if (signedIn) router.history.replace(next ?? '/');
  }, [signedIn, next, router]);

  return (
    <VisitorFrame>
      <Outlet />
    </VisitorFrame>
  );
}
