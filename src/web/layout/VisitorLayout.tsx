import { Link, Outlet, useRouter, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useMember } from '#web/platform/session.ts';
import { Logo } from '#web/ui/Logo.tsx';
import { LanguageSelect } from './LanguageSelect.tsx';
import { ThemeButton } from './ThemeButton.tsx';
import classes from './VisitorLayout.module.css';

/** The frame of /login and /register. Whoever signs in, here or in another tab, goes on to the page first asked for. */
export function VisitorLayout() {
  const router = useRouter();
  const { next } = useSearch({ from: '/visitor' });
  const signedIn = useMember() !== null;
  useEffect(() => {
    if (signedIn) router.history.replace(next ?? '/');
  }, [signedIn, next, router]);

  return (
    <div className={classes.frame}>
      <header className={classes.header}>
        <Link to="/login" className={classes.brand} aria-label="Parley">
          <Logo size={30} />
          <span>Parley</span>
        </Link>
        <ThemeButton />
      </header>
      <main id="main" tabIndex={-1} className={classes.main}>
        <Outlet />
      </main>
      <footer className={classes.footer}>
        <LanguageSelect />
      </footer>
    </div>
  );
}
