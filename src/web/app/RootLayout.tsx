import { useQueryClient } from '@tanstack/react-query';
import { useRouter, isSamePage } from '#web/core/router.ts';
import { type ReactNode, Suspense, useEffect, useSyncExternalStore } from 'react';
import { lazyComponent } from '#web/core/lazy.ts';
import { requestSession } from '#web/core/api.ts';
import { watchConnection } from '#web/core/connection.ts';
import { requestHeadingFocus } from '#web/ui/PageHeading.tsx';
import { isPageRendered, useIsHydrating } from '#web/core/hydration.ts';
import { readRememberedControl } from '#web/core/sign-in-prompt.ts';
import { sessionQuery } from '#web/core/session.ts';
import { preloadToastsOnFirstInput, useHasToasts } from '#web/core/toast.ts';
import { registerServiceWorker } from '#web/core/pwa.ts';
import { EarlyConnectionBanner } from './EarlyConnectionBanner.tsx';
import classes from './RootLayout.module.css';
import { reloadView } from './reload-view.ts';

const ConnectionBanner = lazyComponent(() => import('./ConnectionBanner.tsx'));
const Toasts = lazyComponent(() => import('#web/core/Toasts.tsx'));

/** Wraps every page, for members and visitors. */
export function RootLayout({ children }: { children: ReactNode }) {
  useRefetchAfterOutage();
  useFocusOnNavigation();
  useEffect(registerServiceWorker, []);
  useEffect(preloadToastsOnFirstInput, []);
  const isHydrating = useIsHydrating();
  const toasts = useHasToasts();
  return (
    <>
      <NavigationProgress />
      {!isHydrating && (
        <Suspense fallback={<EarlyConnectionBanner />}>
          <ConnectionBanner />
        </Suspense>
      )}
      {children}
      {toasts && (
        <Suspense>
          <Toasts />
        </Suspense>
      )}
    </>
  );
}

/** Refetches all data on the page after an outage. */
function useRefetchAfterOutage() {
  const queryClient = useQueryClient();
  const router = useRouter();
  useEffect(() => {
    const refetch = () => {
      void queryClient.invalidateQueries();
      reloadView(router);
    };
    return watchConnection(
      () => requestSession(),
      // Newer data would differ from the HTML of the server, which React would then discard.
      () =>
        isPageRendered() ? document.addEventListener('parley:hydrated', refetch, { once: true }) : refetch(),
    );
  }, [queryClient, router]);
}

function useFocusOnNavigation() {
  const queryClient = useQueryClient();
  const router = useRouter();
  useEffect(
    () =>
      router.onRendered(({ from, to }) => {
        if (isSamePage(from, to)) return;
        // After a sign-in, the control that the visitor pressed takes the focus.
        const isSignedIn = queryClient.getQueryData(sessionQuery.queryKey)?.member != null;
        if (!isSignedIn || readRememberedControl() === null) requestHeadingFocus();
      }),
    [queryClient, router],
  );
}

/** A thin line at the top while the next page loads. */
function NavigationProgress() {
  const router = useRouter();
  const loading = useSyncExternalStore(
    (listener) => router.onChange(listener),
    () => router.isLoading,
    () => false,
  );
  return <div className={classes.progress} data-loading={loading || undefined} aria-hidden="true" />;
}
