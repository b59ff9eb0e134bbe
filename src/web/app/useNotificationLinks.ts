import { useRouter } from '#web/core/router.ts';
import { useEffect } from 'react';
import type { NotificationLinkRequest } from '#shared/notifications/preferences.ts';

/**
 * Replies to the service worker (src/web/worker/push.ts) whether this page shows that of a link, and goes to its post if it
 * is the one that the worker chooses.
 */
export function useNotificationLinks(): void {
  const router = useRouter();
  useEffect(() => {
    // Browsers lack service workers on plain http.
    if (!('serviceWorker' in navigator)) return undefined;
    const reply = ({ data, ports: [port] }: MessageEvent<Partial<NotificationLinkRequest>>) => {
      if (data.notificationLink === undefined) return;
      const { pathname, search, hash } = new URL(data.notificationLink);
      const isShown = pathname === location.pathname && search === location.search;
      port?.postMessage(isShown);
      if (data.opens === true && isShown && hash !== '' && hash !== location.hash)
        void router.navigate(pathname + search + hash);
    };
    navigator.serviceWorker.addEventListener('message', reply);
    return () => navigator.serviceWorker.removeEventListener('message', reply);
  }, [router]);
}
