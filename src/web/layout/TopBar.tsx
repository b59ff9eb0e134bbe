import { ActionIcon, Button } from '@mantine/core';
import { Link, useRouter } from '@tanstack/react-router';
import { IconBell, IconPencilPlus } from '@tabler/icons-react';
import { paths } from '#web/platform/paths.ts';
import { Logo } from '#web/ui/Logo.tsx';
import { AccountMenu } from './AccountMenu.tsx';
import { SearchBox } from './SearchBox.tsx';
import { ThemeButton } from './ThemeButton.tsx';
import classes from './TopBar.module.css';

export function TopBar() {
  const router = useRouter();
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
            Ask Question
          </Button>
          <ActionIcon
            className={classes.wide ?? ''}
            size={44}
            aria-label="Notifications"
            title="Notifications"
            onClick={() => void router.navigate({ to: paths.notifications })}
          >
            <IconBell size={20} stroke={1.6} />
          </ActionIcon>
          <ThemeButton />
          <AccountMenu />
        </div>
      </div>
    </header>
  );
}
