import { t } from '@lingui/core/macro';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Logo } from './Logo.tsx';
import { LanguageSelect } from './LanguageSelect.tsx';
import { ThemeButton } from './ThemeButton.tsx';
import classes from './VisitorFrame.module.css';

/** The layout of pages that need no sign-in. */
export function VisitorFrame({ children }: { children: ReactNode }) {
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
        {children}
      </main>
      <footer className={classes.footer}>
        <LanguageSelect label={t`Language`} />
      </footer>
    </div>
  );
}
