/**
 * Runs `task` at once, and then at most every `milliseconds`: a burst of events makes one fetch at its beginning and one
 * at its end. Each page waits a little differently, so that a thousand of them do not ask at the same moment.
 */
export function calmly(task: () => void, milliseconds: number): () => void {
  let last = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    if (timer !== undefined) return;
    const wait = Math.max(0, last + milliseconds - Date.now());
    timer = setTimeout(
      () => {
        timer = undefined;
        last = Date.now();
        task();
      },
      wait + Math.random() * 100,
    );
  };
}
