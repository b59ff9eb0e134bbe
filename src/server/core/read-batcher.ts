import type { Reader } from './database.ts';

/** The maximum number of statements of one batcher that run at the same time on a database. */
const maxConcurrentBatches = 2;

/**
 * Combines reads: those that arrive while two earlier statements run share the next statement. A single read is not
 * delayed. Each read begins after its call, so that it includes what was committed before.
 * @param readBatch returns the results in the order of the items
 */
export function createReadBatcher<Item, Result>({
  readBatch,
  maxBatchSize,
}: {
  readBatch: (db: Reader, items: readonly Item[]) => Promise<readonly Result[]>;
  maxBatchSize: number;
}): (db: Reader, item: Item) => Promise<Result> {
  type QueuedItem = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void };
  type Queue = { items: QueuedItem[]; running: number; isScheduled: boolean };
  const queues = new WeakMap<Reader, Queue>();

  return (db, item) =>
    new Promise((resolve, reject) => {
      const queue = queues.get(db) ?? { items: [], running: 0, isScheduled: false };
      queues.set(db, queue);
      queue.items.push({ item, resolve, reject });
      schedule(db, queue);
    });

  /** Starts a batch after all requests that have already arrived. */
  function schedule(db: Reader, queue: Queue): void {
    if (queue.isScheduled || queue.running >= maxConcurrentBatches || queue.items.length === 0) return;
    queue.isScheduled = true;
    setImmediate(() => {
      queue.isScheduled = false;
      queue.running++;
      void run(db, queue.items.splice(0, maxBatchSize)).finally(() => {
        queue.running--;
        schedule(db, queue);
      });
      schedule(db, queue);
    });
  }

  async function run(db: Reader, batch: readonly QueuedItem[]): Promise<void> {
    try {
      const results = await readBatch(
        db,
        batch.map(({ item }) => item),
      );
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
