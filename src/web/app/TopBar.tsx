import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { IconPencilPlus } from '@tabler/icons-react';
import { NotificationButton } from '#web/notifications/NotificationButton.tsx';
import { Logo } from '#web/ui/Logo.tsx';
import { AccountMenu } from './AccountMenu.tsx';
import { SearchBox } from './SearchBox.tsx';
import { ThemeButton } from '#web/ui/ThemeButton.tsx';
import classes from './TopBar.module.css';

export function TopBar() {
  return (
    <header className={classes.bar}>
      <div className={classes.inner}>
        <Link to="/" className={classes.brand} aria-label="Parley">
          <Logo size={28} />
          <span className={classes.name}>Parley</span>
        </Link>
        <SearchBox />
        <div className={classes.actions}>
          <Button
            className={classes.wide ?? ''}
            renderRoot={(props) => <Link to="/ask" {...props} />}
            leftSection={<IconPencilPlus size={18} stroke={1.8} aria-hidden />}
            size="sm"
          >
            {t`Ask Question`}
          </Button>
          <NotificationButton className={classes.wide ?? ''} />
          <ThemeButton />
          <AccountMenu />
        </div>
      </div>
    </header>
  );
}
