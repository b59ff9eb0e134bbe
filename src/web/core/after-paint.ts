/**
 * Runs what measures the page after it has been painted: asked before, the browser would have to lay it out at once,
 * in the middle of what shows it.
 * @returns what calls it off.
 */
export function afterPaint(run: () => void): () => void {
  let timer: number | undefined;
  const frame = requestAnimationFrame(() => (timer = window.setTimeout(run)));
  return () => {
    cancelAnimationFrame(frame);
    window.clearTimeout(timer);
  };
}
