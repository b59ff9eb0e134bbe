/**
 * Runs `task` at most once per `intervalMs`: a burst of calls runs it at its beginning and at its end. A random delay of
 * up to `spreadMs` comes first, so that many browsers do not send requests at the same moment.
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

/**
 * Runs code that measures the page after the next paint. Measuring earlier would force a layout in the middle of
 * rendering.
 * @returns a function that cancels it.
 */
export function afterPaint(run: () => void): () => void {
  let timer: number | undefined;
  const frame = requestAnimationFrame(() => (timer = window.setTimeout(run)));
  return () => {
    cancelAnimationFrame(frame);
    window.clearTimeout(timer);
  };
}
