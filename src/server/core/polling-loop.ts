/** Work that is repeated: at once after a wake-up, otherwise after a pause. Rounds never overlap. */
export type PollingLoop = {
  /** There may be something to do. */
  wake: () => void;
  /** Waits for the round that runs. */
  stop: () => Promise<void>;
};

/**
 * Starts a loop.
 * @param onError gets what a round has thrown; the next round follows after the pause. Not called while stopping.
 */
export function startPollingLoop({
  run,
  pollMs,
  onError,
}: {
  run: () => Promise<void>;
  pollMs: number;
  onError: (error: unknown) => void;
}): PollingLoop {
  const stopping = new AbortController();
  let isAwake = false;
  let resume = () => {};
  const loop = repeat();

  return {
    wake,
    async stop() {
      stopping.abort();
      wake();
      await loop;
    },
  };

  function wake(): void {
    isAwake = true;
    resume();
  }

  async function repeat(): Promise<void> {
    while (!stopping.signal.aborted) {
      isAwake = false;
      try {
        await run();
      } catch (error) {
        if (!stopping.signal.aborted) onError(error);
      }
      // `isAwake` changes while the round waits.
      if (!(isAwake as boolean) && !stopping.signal.aborted) await sleep();
    }
  }

  function sleep(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, pollMs);
      resume = done;
      function done() {
        clearTimeout(timer);
        resolve();
      }
    });
  }
}
