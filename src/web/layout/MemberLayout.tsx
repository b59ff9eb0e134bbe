import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useLocation, useRouter } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { useFollows } from '#web/platform/first-render.ts';
import { lazyPart } from '#web/platform/lazy-part.ts';
import { useLiveConnection } from '#web/platform/live.ts';
import { paths } from '#web/platform/paths.ts';
import { forgetMember, useMember, useSession } from '#web/platform/session.ts';
import { BottomBar } from './BottomBar.tsx';
import { LiveMember } from './LiveMember.ts';
import { KeyboardShortcuts } from './KeyboardShortcuts.tsx';
import { SendWaiting } from './SendWaiting.ts';
import { Sidebar } from './Sidebar.tsx';
import { SyncDrafts } from './SyncDrafts.ts';
import { TopBar } from './TopBar.tsx';
import classes from './MemberLayout.module.css';

const StandingNotes = lazyPart(() => import('#web/care/StandingNotes.tsx'));

/** The frame of every page for members: top bar, sidebar (below 768 px a bar at the bottom), the page. */
export function MemberLayout() {
  useSignInWhenSessionEnds();
  const client = useQueryClient();
  useEffect(() => () => forgetMember(client), [client]);
  const member = useMember();
  const isPageNext = useFollows();
  return (
    <>
      {isPageNext && <Behind memberId={member?.id ?? null} />}
      <a href="#main" className={classes.skip} onClick={focusMain}>
        {t`Skip to content`}
      </a>
      <TopBar />
      <div className={classes.columns}>
        <Sidebar />
        <main id="main" tabIndex={-1} className={classes.main}>
          {member !== null && (member.suspended != null || member.waitsFor != null || member.notices > 0) && (
            <Suspense>
              <StandingNotes />
            </Suspense>
          )}
          {isPageNext && <Outlet />}
        </main>
      </div>
      <BottomBar />
      <KeyboardShortcuts />
    </>
  );
}

/** What goes on unseen. Nothing of it is fetched before the page is there. */
function Behind({ memberId }: { memberId: number | null }) {
  useLiveConnection();
  if (memberId === null) return null;
  return (
    <>
      <LiveMember memberId={memberId} />
      <SendWaiting memberId={memberId} />
      <SyncDrafts memberId={memberId} />
    </>
  );
}

/** The router would take the hash for a navigation. */
function focusMain(event: React.MouseEvent) {
  event.preventDefault();
  const main = document.getElementById('main');
  main?.focus({ preventScroll: true });
  main?.scrollIntoView();
}

/**
 * Signed out, here or in another tab, the visitor signs in and comes back; who pressed Logout just goes to /login.
 * The ask form stays, with its draft, and says so itself.
 */
function useSignInWhenSessionEnds() {
  const router = useRouter();
  const session = useSession();
  const { pathname, href } = useLocation();
  const left = session?.left === true;
  const leaving = pathname === paths.login || pathname === paths.register;
  const mustLeave = session?.member === null && !leaving && (left || pathname !== paths.ask);
  useEffect(() => {
    if (!mustLeave) return;
    const search = left || href === paths.home ? {} : { next: href };
    void router.navigate({ to: '/login', search, replace: !left });
  }, [mustLeave, left, href, router]);
}
