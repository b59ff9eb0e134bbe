import { Outlet, useRouter, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useMember } from '#web/core/session.ts';
import { VisitorFrame } from '#web/ui/VisitorFrame.tsx';

/** The frame of /login and /register. Whoever signs in, here or in another tab, goes on to the page first asked for. */
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
