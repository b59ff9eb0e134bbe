import { useRouterState } from '@tanstack/react-router';
import classes from './NavigationProgress.module.css';

/** A thin line at the top while the next page loads. */
export function NavigationProgress() {
  const loading = useRouterState({ select: (state) => state.isLoading });
  return <div className={classes.line} data-loading={loading || undefined} aria-hidden="true" />;
}
