import { Suspense, useEffect, useState } from 'react';
import { lazyComponent } from '#web/core/lazy.ts';
import { paths } from '#web/core/paths.ts';
import {
  askToSignIn,
  readRememberedControl,
  type SignInReason,
  useSignInPrompt,
} from '#web/core/sign-in-prompt.ts';

const SignInDialog = lazyComponent(() => import('./SignInDialog.tsx'));

/**
 * For visitors who read: a press on a control that only members can use opens the sign-in dialog. Such controls have the
 * attribute `data-sign-in` with the reason; links to the ask form need none.
 */
export function VisitorSignIn() {
  const reason = useSignInPrompt();
  // The title stays while the dialog closes.
  const [latest, setLatest] = useState<SignInReason | null>(null);
  if (reason !== null && reason !== latest) setLatest(reason);
  useEffect(() => {
    document.addEventListener('click', intercept, { capture: true });
    return () => document.removeEventListener('click', intercept, { capture: true });
  }, []);
  return (
    latest !== null && (
      <Suspense>
        <SignInDialog reason={latest} opened={reason !== null} />
      </Suspense>
    )
  );
}

/** Before the handlers of React. */
function intercept(event: MouseEvent): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey || !(event.target instanceof Element)) return;
  const control = event.target.closest<HTMLElement>(`[data-sign-in], a[href="${paths.ask}"]`);
  if (control === null) return;
  event.preventDefault();
  event.stopPropagation();
  // The buttons of a form's toolbar exist only while its field has the focus.
  const field = control.closest('form')?.querySelector('textarea');
  askToSignIn((control.dataset['signIn'] ?? 'ask') as SignInReason, field ?? control);
}

/** How long the page may take to show the control, in milliseconds, and how often to look for it. */
const waitMs = 10_000;
const intervalMs = 100;

/** Puts the focus on the control that the member pressed before signing in. */
export function useReturnToControl(isSignedIn: boolean): void {
  useEffect(() => {
    const control = isSignedIn ? readRememberedControl() : null;
    if (control === null) return undefined;
    const until = performance.now() + waitMs;
    const timer = window.setInterval(() => {
      const element = control.find();
      if (element === undefined && performance.now() < until) return;
      window.clearInterval(timer);
      control.forget();
      element?.scrollIntoView({ block: 'center' });
      element?.focus({ preventScroll: true });
    }, intervalMs);
    return () => window.clearInterval(timer);
  }, [isSignedIn]);
}
