import { useEffect, useSyncExternalStore } from 'react';
import { renderedAtAttribute } from '#shared/core/protocol.ts';

/**
 * Whether the page that the server rendered is being hydrated. What the server does not know, such as the drafts in
 * this browser, must not be rendered meanwhile; the component renders again right after.
 */
export function useIsHydrating(): boolean {
  return useSyncExternalStore(subscribe, isNotHydrating, isHydrating);
}

/**
 * Whether the server has rendered the page, or is rendering it, and the page does not handle input yet. What is not
 * needed for that should be loaded later.
 */
export function isPageRendered(): boolean {
  return (
    typeof document === 'undefined' ||
    document.getElementById('root')?.hasAttribute(renderedAtAttribute) === true
  );
}

const subscribe = () => () => {};
const isNotHydrating = () => false;
const isHydrating = () => true;

/**
 * Used where pages are rendered. Until then `#root` has the attribute of a rendered page, and public/early-input.js keeps
 * what the reader presses and types.
 */
export function useReportHydrated(): void {
  useEffect(() => {
    document.getElementById('root')?.removeAttribute(renderedAtAttribute);
    document.dispatchEvent(new Event('parley:hydrated'));
  }, []);
}
