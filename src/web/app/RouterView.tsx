import { Component, type ReactNode, startTransition, Suspense, use, useLayoutEffect, useState } from 'react';
import { useReportHydrated } from '#web/core/hydration.ts';
import { LocationContext, type Router, RouterContext, type View } from '#web/core/router.ts';
import { ErrorPage } from './ErrorPage.tsx';
import { RootLayout } from './RootLayout.tsx';

/** Renders the page of the router's address. While the next one loads, the present one stays. */
export function RouterView({ router }: { router: Router }) {
  const [view, setView] = useState(router.view);
  useLayoutEffect(() => {
    const follow = () => startTransition(() => setView(router.view));
    follow();
    return router.onChange(follow);
  }, [router]);
  return (
    <RouterContext value={router}>
      <LocationContext value={view ?? { location: router.location, params: {} }}>
        <ErrorBoundary view={view}>
          <RootLayout>
            <Suspense>
              <ViewContent router={router} view={view} />
            </Suspense>
          </RootLayout>
        </ErrorBoundary>
      </LocationContext>
    </RouterContext>
  );
}

function ViewContent({ router, view }: { router: Router; view: View | undefined }) {
  const shown = view ?? use(router.firstView);
  useLayoutEffect(() => router.finishRendering(shown), [router, shown]);
  useReportHydrated();
  const { layout: Layout, page } = shown;
  const content = 'error' in page ? <ErrorPage error={page.error} /> : <page.component key={page.key} />;
  const bounded = <ErrorBoundary view={shown}>{content}</ErrorBoundary>;
  return (
    // The view may be newer than that of RouterView.
    <LocationContext value={shown}>
      {Layout === null ? (
        bounded
      ) : (
        <ErrorBoundary view={shown}>
          <Layout>{bounded}</Layout>
        </ErrorBoundary>
      )}
    </LocationContext>
  );
}

type BoundaryProps = { view: View | undefined; children: ReactNode };
type BoundaryState = { failed: { error: unknown } | null; view: View | undefined };

/** Shows the error page in place of a component that fails, until the next view. */
class ErrorBoundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { failed: null, view: this.props.view };

  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    return { failed: { error } };
  }

  static getDerivedStateFromProps({ view }: BoundaryProps, state: BoundaryState): BoundaryState {
    return view === state.view ? state : { failed: null, view };
  }

  override render() {
    const { failed } = this.state;
    return failed === null ? this.props.children : <ErrorPage error={failed.error} />;
  }
}
