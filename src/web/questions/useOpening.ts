import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/**
 * The draft whose form the address asks to be opened, `?draft=edit:answer:5`; null where it asks for none. It is asked for
 * once: the address goes on without it.
 */
export function useOpening(): string | null {
  const router = useRouter();
  const [opening] = useState(() => new URLSearchParams(window.location.search).get('draft'));
  useEffect(() => {
    if (opening === null) return;
    void router.navigate({ to: '.', search: {}, hash: true, replace: true, resetScroll: false });
  }, [opening, router]);
  return opening;
}
