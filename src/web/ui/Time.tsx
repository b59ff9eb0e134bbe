import { useSyncExternalStore } from 'react';
import { useIsHydrating } from '#web/core/hydration.ts';
import { formatCardDate, formatDateTime, formatRelativeTime } from '#web/core/format.ts';

/** The relative time or the date, updated while the page is open. The exact time is the title. */
export function Time({ at, kind = 'relative' }: { at: string; kind?: 'relative' | 'card' }) {
  const now = useMinute();
  // The server does not know the reader's time zone.
  const isHydrating = useIsHydrating();
  const timeZone = isHydrating ? 'UTC' : undefined;
  return (
    <time dateTime={at} title={isHydrating ? undefined : formatDateTime(at)}>
      {kind === 'card' ? formatCardDate(at, now, timeZone) : formatRelativeTime(at, now, timeZone)}
    </time>
  );
}

let current = Date.now();
/** When the server rendered the page, in milliseconds since 1970. */
let renderedAt = current;
let timer: number | undefined;
const listeners = new Set<() => void>();

/**
 * The current time in steps of a minute, from one shared timer. Also correct right after a page was frozen in the
 * background.
 */
export function useMinute(): number {
  return useSyncExternalStore(
    subscribe,
    () => current,
    () => renderedAt,
  );
}

/** Called before a page is rendered on the server, and with the same time before it is hydrated. */
export function setRenderedAt(time: number): void {
  renderedAt = time;
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    if (Date.now() - current > 1000) current = Date.now();
    timer = window.setInterval(tick, 60_000);
    document.addEventListener('visibilitychange', tick);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.clearInterval(timer);
    document.removeEventListener('visibilitychange', tick);
  };
}

function tick(): void {
  if (document.hidden) return;
  current = Date.now();
  for (const listener of listeners) listener();
}
