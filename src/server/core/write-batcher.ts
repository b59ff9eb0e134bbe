import { getSqlState } from './database.ts';
import { isUnavailableError, ProblemError } from './errors.ts';

/** What became of one item: its result, or why it was refused. */
export type Outcome<Result> = Result | ProblemError;

export type WriteBatcherOptions<Item, Result> = {
  /**
   * Writes all items, in one transaction, and tells of each what became of it, in their order. Throws when nothing was
   * written. `waitsForLocks`: waits for locks as long as it takes; else it gives up soon (`lockTimeout` of `transaction`).
   */
  writeBatch: (items: readonly Item[], how: { waitsForLocks: boolean }) => Promise<Outcome<Result>[]>;
  /** What an item is about. Items about the same thing are never written side by side where that has to be waited for. */
  keyOf: (item: Item) => string | number;
  /** Items that are written together at most. */
  maxBatchSize: number;
  /** Batches on their way at a time. By default two: while the database works on one, the next is made ready. */
  maxConcurrentBatches?: number;
};

/** Things that are waited for at a time, each on a connection of its own. */
const maxKeyQueues = 6;

/**
 * Gathers what is asked for while earlier things are being written, and writes it together: a commit waits for the disk
 * as long for a hundred as for one, and what a hundred count in one row is counted once. Nobody waits for company: what
 * comes alone is written at once. Each is told of its own when it is stored.
 *
 * Where a batch fails, or meets something that another transaction has locked, it is written again thing by thing, so
 * that what cannot be written, or has to wait, spoils nothing for the others. What comes meanwhile for a thing that is
 * waited for joins those who wait.
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
  /** What is waited for by itself, with those who came meanwhile. */
  const keyQueues = new Map<string | number, { next: QueuedItem[]; ended: Promise<void> }>();

  return function add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      (keyQueues.get(keyOf(item))?.next ?? queued).push({ item, resolve, reject });
      schedule();
    });
  };

  /** Behind all requests that have come in by now. */
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
      settle(batch, await write(itemsOf(batch), { waitsForLocks: false }));
    } catch (error) {
      // Nobody knows whether a commit whose answer got lost happened; and a database that is away is so for all.
      if (isUnavailableError(error) && getSqlState(error) !== lockNotAvailable) return refuse(batch, error);
      for (const [thing, group] of Map.groupBy(batch, ({ item }) => keyOf(item)))
        await startKeyQueue(thing, group);
    }
  }

  /** Resolves when the lane is there, not when it has ended. */
  async function startKeyQueue(thing: string | number, group: readonly QueuedItem[]): Promise<void> {
    while (!keyQueues.has(thing) && keyQueues.size >= maxKeyQueues)
      await Promise.race([...keyQueues.values()].map((lane) => lane.ended));
    const keyQueue = keyQueues.get(thing);
    if (keyQueue !== undefined) keyQueue.next.push(...group);
    else {
      const next = [...group];
      keyQueues.set(thing, { next, ended: runKeyQueue(thing, next) });
    }
  }

  async function runKeyQueue(thing: string | number, next: QueuedItem[]): Promise<void> {
    // Not before it is known as a lane.
    await Promise.resolve();
    while (next.length > 0) await writeSameKey(next.splice(0, maxBatchSize));
    keyQueues.delete(thing);
  }

  async function writeSameKey(group: readonly QueuedItem[]): Promise<void> {
    try {
      settle(group, await write(itemsOf(group), { waitsForLocks: true }));
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

const lockNotAvailable = '55P03';
