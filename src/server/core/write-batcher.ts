import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import { getSqlState, type LockOptions, statementTimeoutMs } from './database.ts';
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

/**
 * How many writes of key queues run at a time, of all batchers of this node. Each can wait for a lock with its database
 * connection, so these limits leave connections for other requests. A queue first tries to write with a short wait for
 * locks, then waits for as long as needed. While all waits are taken, it tries again after a pause, so that a key whose
 * lock ends does not wait for those of the others.
 */
const maxWaits = 6;
const keyQueueLimits = { tries: pLimit(4), waits: pLimit(maxWaits) };

/** How long a batch waits for a lock: longer than a normal transaction takes, even on a busy machine. */
const batchLock = { lockTimeoutMs: 1_000 };

/** Short, because each try of a blocked key holds up those of other keys. */
const tryLock = { lockTimeoutMs: 50 };

const pauseMs = 250;

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
      if (isUnavailableError(error) && getSqlState(error) !== lockNotAvailable) return refuse(batch, error);
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
      settle(group, await writeInTurn(itemsOf(group)));
    } catch (error) {
      if (group.length === 1 || isUnavailableError(error)) return refuse(group, error);
      for (const one of group) await writeSameKey([one]);
    }
  }

  async function writeInTurn(items: readonly Item[]): Promise<Outcome<Result>[]> {
    // As long as a statement waits for a lock.
    const end = performance.now() + statementTimeoutMs;
    for (;;) {
      try {
        return await keyQueueLimits.tries(() => write(items, tryLock));
      } catch (error) {
        if (getSqlState(error) !== lockNotAvailable || performance.now() > end) throw error;
      }
      const { activeCount, pendingCount } = keyQueueLimits.waits;
      if (activeCount + pendingCount < maxWaits) return keyQueueLimits.waits(() => write(items, {}));
      await delay(pauseMs);
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

const lockNotAvailable = '55P03';
