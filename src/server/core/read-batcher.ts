import type { Reader } from './database.ts';

/** The maximum number of statements of one batcher that run at the same time on a database. */
const maxConcurrentBatches = 2;

/**
 * Combines reads: those that arrive while two earlier statements run share the next statement, and waiting reads of
 * equal items (as in a Map) are one read. A single read is not delayed. Each read begins after its call, so that it
 * includes what was committed before.
 * @param readBatch returns the results in the order of the items
 */
export function createReadBatcher<Item, Result>({
  readBatch,
  maxBatchSize,
}: {
  readBatch: (db: Reader, items: readonly Item[]) => Promise<readonly Result[]>;
  maxBatchSize: number;
}): (db: Reader, item: Item) => Promise<Result> {
  type Queue = { waiting: Map<Item, PromiseWithResolvers<Result>>; running: number; isScheduled: boolean };
  const queues = new WeakMap<Reader, Queue>();

  return (db, item) => {
    const queue = queues.get(db) ?? { waiting: new Map(), running: 0, isScheduled: false };
    queues.set(db, queue);
    const read = queue.waiting.get(item) ?? Promise.withResolvers<Result>();
    queue.waiting.set(item, read);
    schedule(db, queue);
    return read.promise;
  };

  /** Starts a batch after all requests that have already arrived. */
  function schedule(db: Reader, queue: Queue): void {
    if (queue.isScheduled || queue.running >= maxConcurrentBatches || queue.waiting.size === 0) return;
    queue.isScheduled = true;
    setImmediate(() => {
      queue.isScheduled = false;
      queue.running++;
      const batch = [...queue.waiting].slice(0, maxBatchSize);
      for (const [item] of batch) queue.waiting.delete(item);
      void run(db, batch).finally(() => {
        queue.running--;
        schedule(db, queue);
      });
      schedule(db, queue);
    });
  }

  async function run(db: Reader, batch: readonly [Item, PromiseWithResolvers<Result>][]): Promise<void> {
    try {
      const results = await readBatch(
        db,
        batch.map(([item]) => item),
      );
      for (const [index, [, { resolve }]] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const [, { reject }] of batch) reject(error);
    }
  }
}
