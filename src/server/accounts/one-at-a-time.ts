/** Runs tasks of the same key one after the other, those of different keys side by side. */
export function createKeyedQueue() {
  const last = new Map<string, Promise<unknown>>();
  return async function run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const before = last.get(key) ?? Promise.resolve();
    const mine = before.then(task, task);
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
}
