import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation, useRouter } from '#web/core/router.ts';
import { type ReactNode, Suspense, useEffect, useEffectEvent, useState } from 'react';
import { useIsHydrating } from '#web/core/hydration.ts';
import { lazyComponent } from '#web/core/lazy.ts';
import { isPublicPath, paths, stringifySearch } from '#web/core/paths.ts';
import {
  clearMemberQueries,
  resetMemberQueries,
  useHasSiteLinks,
  useMember,
  useSession,
} from '#web/core/session.ts';
import { SiteLinks } from '#web/ui/SiteLinks.tsx';
import { BottomBar } from './BottomBar.tsx';
import { KeyboardShortcuts } from './KeyboardShortcuts.tsx';
import { Sidebar } from './Sidebar.tsx';
import { TopBar } from './TopBar.tsx';
import { useReturnToControl, VisitorSignIn } from './VisitorSignIn.tsx';
import classes from './MemberLayout.module.css';

const BackgroundTasks = lazyComponent(() => import('./BackgroundTasks.tsx'));
const AccountStatusBanner = lazyComponent(() => import('#web/moderation/AccountStatusBanner.tsx'));

/**
 * The layout of every page for members, and for visitors who read: top bar, sidebar (a bottom bar below 768 px) and the
 * page.
 */
export function MemberLayout({ children }: { children: ReactNode }) {
  useSignInWhenSessionEnds();
  const client = useQueryClient();
  useEffect(() => () => clearMemberQueries(client), [client]);
  const member = useMember();
  useReturnToControl(member !== null);
  const isHydrating = useIsHydrating();
  const siteLinks = useHasSiteLinks() && <SiteLinks />;
  return (
    <>
      {!isHydrating && member === null && <VisitorSignIn />}
      {!isHydrating && member !== null && (
        <Suspense>
          <BackgroundTasks memberId={member.id} />
        </Suspense>
      )}
      <a href="#main" className={classes.skip} onClick={focusMain}>
        {t`Skip to content`}
      </a>
      <TopBar />
      <div className={classes.columns}>
        <Sidebar>{siteLinks}</Sidebar>
        <main id="main" tabIndex={-1} className={classes.main}>
          {member !== null &&
            (member.suspended != null ||
              member.pendingStep != null ||
              member.unreadModeratorMessages > 0) && (
              <Suspense>
                <AccountStatusBanner />
              </Suspense>
            )}
          {children}
          <div className={classes.foot}>{siteLinks}</div>
        </main>
      </div>
      <BottomBar />
      <KeyboardShortcuts />
    </>
  );
}

function focusMain(event: React.MouseEvent) {
  event.preventDefault();
  const main = document.getElementById('main');
  main?.focus({ preventScroll: true });
  main?.scrollIntoView();
}

/**
 * Sends a signed-out visitor to the login page, with the way back to the current page, unless visitors may read it. A
 * member who pressed Logout goes to plain /login. The ask form stays open with its draft and shows its own message.
 */
function useSignInWhenSessionEnds() {
  const client = useQueryClient();
  const router = useRouter();
  const session = useSession();
  const { pathname } = useLocation();
  const hasSignedOut = session?.hasSignedOut === true;
  const isSignedIn = session?.member != null;
  const [wasSignedIn, setWasSignedIn] = useState(isSignedIn);
  if (isSignedIn && !wasSignedIn) setWasSignedIn(true);
  const canRead = session?.publicReading === true;
  const isReading = canRead && isPublicPath(pathname) && !wasSignedIn;
  const mustLeave = session?.member === null && !isReading && (hasSignedOut || pathname !== paths.ask);
  const goToLogin = useEffectEvent(() => {
    const { href } = router.location;
    const next = hasSignedOut || href === paths.home ? undefined : href;
    return router.navigate(paths.login + stringifySearch({ next }), {
      state: { sessionEnded: wasSignedIn && !hasSignedOut },
      replace: !hasSignedOut,
    });
  });
  const mayRead = useEffectEvent(() => canRead && router.location.pathname !== paths.login);
  useEffect(() => {
    if (!mustLeave) return;
    const leave = async () => {
      await goToLogin();
      // Back was pressed before the login page was shown. Visitors may read public pages; others redirect to it.
      if (!mayRead()) return;
      setWasSignedIn(false);
      resetMemberQueries(client);
    };
    void leave();
  }, [mustLeave, client]);
}
