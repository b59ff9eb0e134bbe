/**
 * Runs `task` at once, and then at most every `milliseconds`: a burst of events makes one fetch at its beginning and one
 * at its end. Each page waits a little differently, up to `spread` milliseconds, so that a thousand of them do not ask at
 * the same moment.
 */
export function throttle(task: () => void, intervalMs: number, spreadMs = 100): () => void {
  let last = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    if (timer !== undefined) return;
    const wait = Math.max(0, last + intervalMs - Date.now());
    timer = setTimeout(
      () => {
        timer = undefined;
        last = Date.now();
        task();
      },
      wait + Math.random() * spreadMs,
    );
  };
}
