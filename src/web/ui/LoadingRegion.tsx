import { type ReactNode, useLayoutEffect, useSyncExternalStore } from 'react';
import classes from './Skeleton.module.css';

/**
 * Contains placeholders, which appear after 150 ms so that fast content does not flicker.
 * @param part whether they replace only a part of the page, or for the content of a dialog.
 */
export function LoadingRegion(props: { label: string; part?: boolean; children: ReactNode }) {
  const { label, part = false, children } = props;
  useLayoutEffect(() => (part ? undefined : registerLoading()), [part]);
  return (
    <output className={classes.pending} aria-busy="true" aria-label={label}>
      {children}
    </output>
  );
}

/** Whether placeholders are shown for the main content of the page. */
export function useIsPageLoading(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => loadingCount > 0,
    () => false,
  );
}

let loadingCount = 0;
const listeners = new Set<() => void>();

function registerLoading(): () => void {
  changeLoadingCount(1);
  return () => changeLoadingCount(-1);
}

function changeLoadingCount(by: 1 | -1): void {
  loadingCount += by;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
