import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useRouter } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { lazyPart } from '#web/platform/lazy-part.ts';
import { api, read } from '#web/platform/api.ts';
import { keepProbing } from '#web/platform/connection.ts';
import { endFirstRender } from '#web/platform/first-render.ts';
import { wantHeadingFocus } from '#web/platform/focus.ts';
import { fetchToastsWithFirstPress, useToastsWanted } from '#web/platform/toast.ts';
import { registerWorker } from '#web/platform/worker.ts';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import { NavigationProgress } from './NavigationProgress.tsx';

const Toasts = lazyPart(() => import('./Toasts.tsx'));

/** Around every page, for members and visitors alike. */
export function Root() {
  useRecovery();
  useFocusOnNavigation();
  useEffect(registerWorker, []);
  useEffect(fetchToastsWithFirstPress, []);
  const toasts = useToastsWanted();
  return (
    <>
      <NavigationProgress />
      <ConnectionBanner />
      <Outlet />
      {toasts && (
        <Suspense>
          <Toasts />
        </Suspense>
      )}
    </>
  );
}

/** After an outage, everything on the page is asked for again. */
function useRecovery() {
  const queryClient = useQueryClient();
  const router = useRouter();
  useEffect(
    () =>
      keepProbing(
        () => read(api.session.$get()),
        () => {
          void queryClient.invalidateQueries();
          void router.invalidate();
        },
      ),
    [queryClient, router],
  );
}

function useFocusOnNavigation() {
  const router = useRouter();
  useEffect(
    () => router.subscribe('onBeforeLoad', ({ fromLocation }) => fromLocation && endFirstRender()),
    [router],
  );
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (fromLocation !== undefined && pathChanged) wantHeadingFocus();
      }),
    [router],
  );
}
