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
