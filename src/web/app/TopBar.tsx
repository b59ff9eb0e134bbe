import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useLocation } from '#web/core/router.ts';
import { Link } from '#web/ui/Link.tsx';
import { IconPencilPlus } from '@tabler/icons-react';
import { Suspense } from 'react';
import { canModerate } from '#shared/identity/roles.ts';
import { NotificationButton } from '#web/notifications/NotificationButton.tsx';
import { paths, stringifySearch } from '#web/core/paths.ts';
import { useMember, useSiteName } from '#web/core/session.ts';
import { Logo } from '#web/ui/Logo.tsx';
import { AccountMenu } from './AccountMenu.tsx';
import { SearchBox } from './SearchBox.tsx';
import { ThemeButton } from '#web/ui/ThemeButton.tsx';
import { lazyComponent } from '#web/core/lazy.ts';
import classes from './TopBar.module.css';

const ReviewQueueButton = lazyComponent(() => import('#web/moderation/ReviewQueueButton.tsx'));

export function TopBar() {
  const member = useMember();
  const siteName = useSiteName();
  return (
    <header className={classes.bar}>
      <div className={classes.inner}>
        <Link href="/" className={classes.brand} aria-label={siteName}>
          <Logo size={28} />
          <span className={classes.name}>{siteName}</span>
        </Link>
        <SearchBox />
        <div className={classes.actions}>
          <Button
            className={classes.wide ?? ''}
            renderRoot={(props) => <Link href="/ask" {...props} />}
            leftSection={<IconPencilPlus size={18} stroke={1.8} aria-hidden />}
            size="sm"
          >
            {t`Ask Question`}
          </Button>
          {member !== null && canModerate(member.role) && (
            <Suspense fallback={<span className={classes.loading} />}>
              <ReviewQueueButton />
            </Suspense>
          )}
          {member !== null && <NotificationButton className={classes.wide ?? ''} />}
          <ThemeButton />
          {member === null ? <SignInLinks /> : <AccountMenu />}
        </div>
      </div>
    </header>
  );
}

/** For visitors. After the sign-in they come back to this page. */
function SignInLinks() {
  const { href } = useLocation();
  const search = stringifySearch({ next: href === paths.home ? undefined : href });
  return (
    <>
      <Button
        variant="default"
        size="sm"
        renderRoot={(props) => <Link href={paths.login + search} {...props} />}
      >
        {t`Log in`}
      </Button>
      <Button
        className={classes.wide ?? ''}
        variant="light"
        size="sm"
        renderRoot={(props) => <Link href={paths.register + search} {...props} />}
      >
        {t`Sign up`}
      </Button>
    </>
  );
}
