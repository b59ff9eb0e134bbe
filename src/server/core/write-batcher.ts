import type { LockOptions } from './database.ts';
import { isLockTimeout } from './database-lock-waits.ts';
import { isUnavailableError, ProblemError } from './errors.ts';

/** The outcome of one item: its result, or the error that refuses it. */
export type Outcome<Result> = Result | ProblemError;

export type WriteBatcherOptions<Item, Result> = {
  /**
   * Writes all items in one transaction and returns their outcomes in the same order. Throws if nothing was written.
   * Passes `lockOptions` to `transaction` (database.ts).
   */
  writeBatch: (items: readonly Item[], lockOptions: LockOptions) => Promise<Outcome<Result>[]>;
  /**
   * The key of an item, such as a question id. While a key waits for a lock, its items are written one batch after the
   * other.
   */
  keyOf: (item: Item) => string | number;
  /** The maximum number of items per batch. */
  maxBatchSize: number;
  /**
   * The maximum number of concurrent batches. The default is two, so that one is prepared while the database executes
   * the other.
   */
  maxConcurrentBatches?: number;
};

/** How long a batch waits for a lock: longer than a normal transaction takes, even on a busy machine. */
const batchLock = { lockTimeoutMs: 1_000 };

/**
 * Batches writes. Items that arrive while earlier ones are being written go into the next batch: one commit waits for
 * the disk once, and a counter row is updated once. A single item is written immediately. The returned promise settles
 * when the item is stored or refused.
 *
 * If a batch fails or waits for a lock, it is split by key, so that a failing or blocked item does not affect the
 * others. New items of a blocked key join its queue.
 */
export function createWriteBatcher<Item, Result>({
  writeBatch: write,
  keyOf,
  maxBatchSize,
  maxConcurrentBatches = 2,
}: WriteBatcherOptions<Item, Result>) {
  type QueuedItem = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void };
  let queued: QueuedItem[] = [];
  let running = 0;
  let scheduled = false;
  /** The queues of blocked keys, with the items that arrived meanwhile. */
  const keyQueues = new Map<string | number, QueuedItem[]>();

  return function add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      (keyQueues.get(keyOf(item)) ?? queued).push({ item, resolve, reject });
      schedule();
    });
  };

  /** Starts a batch after all requests that have already arrived. */
  function schedule(): void {
    if (scheduled || running >= maxConcurrentBatches || queued.length === 0) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      const batch = queued.slice(0, maxBatchSize);
      queued = queued.slice(maxBatchSize);
      running++;
      void writeBatch(batch).finally(() => {
        running--;
        schedule();
      });
      schedule();
    });
  }

  async function writeBatch(batch: readonly QueuedItem[]): Promise<void> {
    try {
      settle(batch, await write(itemsOf(batch), batchLock));
    } catch (error) {
      // After a lost connection, it is unknown whether the commit happened. An unavailable database affects all keys.
      if (isUnavailableError(error) && !isLockTimeout(error)) return refuse(batch, error);
      for (const [key, group] of Map.groupBy(batch, ({ item }) => keyOf(item))) startKeyQueue(key, group);
    }
  }

  function startKeyQueue(key: string | number, group: readonly QueuedItem[]): void {
    const keyQueue = keyQueues.get(key);
    if (keyQueue !== undefined) {
      keyQueue.push(...group);
      return;
    }
    const next = [...group];
    keyQueues.set(key, next);
    void runKeyQueue(key, next);
  }

  async function runKeyQueue(key: string | number, next: QueuedItem[]): Promise<void> {
    while (next.length > 0) await writeSameKey(next.splice(0, maxBatchSize));
    keyQueues.delete(key);
  }

  async function writeSameKey(group: readonly QueuedItem[]): Promise<void> {
    try {
      settle(group, await write(itemsOf(group), { wasLocked: true }));
    } catch (error) {
      if (group.length === 1 || isUnavailableError(error)) return refuse(group, error);
      for (const one of group) await writeSameKey([one]);
    }
  }

  function settle(batch: readonly QueuedItem[], outcomes: readonly Outcome<Result>[]): void {
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index];
      if (outcome instanceof ProblemError) reject(outcome);
      else resolve(outcome as Result);
    }
  }

  function refuse(batch: readonly QueuedItem[], error: unknown): void {
    for (const { reject } of batch) reject(error);
  }

  function itemsOf(batch: readonly QueuedItem[]): Item[] {
    return batch.map(({ item }) => item);
  }
}
