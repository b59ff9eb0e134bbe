import { useEffect, useSyncExternalStore } from 'react';
import { renderedAtAttribute } from '#shared/core/protocol.ts';

/**
 * Whether the page that the server rendered is being hydrated. What the server does not know, such as the drafts in
 * this browser, must not be rendered meanwhile; the component renders again right after.
 */
export function useIsHydrating(): boolean {
  return useSyncExternalStore(subscribe, isNotHydrating, isHydrating);
}

const subscribe = () => () => {};
const isNotHydrating = () => false;
const isHydrating = () => true;

/**
 * Used by the layouts of pages. Until then `#root` has the attribute of a rendered page, and public/early-input.js keeps
 * what the reader presses and types.
 */
export function useReportHydrated(): void {
  useEffect(() => {
    document.getElementById('root')?.removeAttribute(renderedAtAttribute);
    document.dispatchEvent(new Event('parley:hydrated'));
  }, []);
}
