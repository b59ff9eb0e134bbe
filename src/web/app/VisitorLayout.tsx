import { Outlet, useRouter, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useMember } from '#web/core/session.ts';
import { VisitorFrame } from '#web/ui/VisitorFrame.tsx';

/**
 * The layout of /login and /register. After a sign-in, here or in another tab, it navigates to the page that was
 * requested first.
 */
export function VisitorLayout() {
  const router = useRouter();
  const { next } = useSearch({ from: '/visitor' });
  const signedIn = useMember() !== null;
  useEffect(() => {
    if (signedIn) router.history.replace(next ?? '/');
  }, [signedIn, next, router]);

  return (
    <VisitorFrame>
      <Outlet />
    </VisitorFrame>
  );
}
