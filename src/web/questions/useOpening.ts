import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/**
 * The draft whose form the address asks to be opened, `?draft=edit:answer:5`; null where it asks for none. It is asked for
 * once: the address goes on without it.
 */
export function useDraftToOpen(): string | null {
  const router = useRouter();
  const [draftToOpen] = useState(() => new URLSearchParams(window.location.search).get('draft'));
  useEffect(() => {
    if (draftToOpen === null) return;
    void router.navigate({ to: '.', search: {}, hash: true, replace: true, resetScroll: false });
  }, [draftToOpen, router]);
  return draftToOpen;
}
