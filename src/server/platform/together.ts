import { sqlState } from './database.ts';
import { isUnavailable, ProblemError } from './errors.ts';

/** What became of one item: its result, or why it was refused. */
export type Outcome<Result> = Result | ProblemError;

export type Together<Item, Result> = {
  /**
   * Writes all items, in one transaction, and tells of each what became of it, in their order. Throws when nothing was
   * written. `patient`: waits for locks as long as it takes; else it gives up soon (`lockTimeout` of `transaction`).
   */
  write: (items: readonly Item[], how: { patient: boolean }) => Promise<Outcome<Result>[]>;
  /** What an item is about. Items about the same thing are never written side by side where that has to be waited for. */
  about: (item: Item) => string | number;
  /** Items that are written together at most. */
  most: number;
  /** Batches on their way at a time. By default two: while the database works on one, the next is made ready. */
  atOnce?: number;
};

/** Things that are waited for at a time, each on a connection of its own. */
const lanesAtMost = 6;

/**
 * Gathers what is asked for while earlier things are being written, and writes it together: a commit waits for the disk
 * as long for a hundred as for one, and what a hundred count in one row is counted once. Nobody waits for company: what
 * comes alone is written at once. Each is told of its own when it is stored.
 *
 * Where a batch fails, or meets something that another transaction has locked, it is written again thing by thing, so
 * that what cannot be written, or has to wait, spoils nothing for the others. What comes meanwhile for a thing that is
 * waited for joins those who wait.
 */
export function together<Item, Result>({ write, about, most, atOnce = 2 }: Together<Item, Result>) {
  type Waiting = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void };
  let waiting: Waiting[] = [];
  let running = 0;
  let scheduled = false;
  /** What is waited for by itself, with those who came meanwhile. */
  const lanes = new Map<string | number, { next: Waiting[]; ended: Promise<void> }>();

  return function add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      (lanes.get(about(item))?.next ?? waiting).push({ item, resolve, reject });
      schedule();
    });
  };

  /** Behind all requests that have come in by now. */
  function schedule(): void {
    if (scheduled || running >= atOnce || waiting.length === 0) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      const batch = waiting.slice(0, most);
      waiting = waiting.slice(most);
      running++;
      void writeBatch(batch).finally(() => {
        running--;
        schedule();
      });
      schedule();
    });
  }

  async function writeBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      settle(batch, await write(itemsOf(batch), { patient: false }));
    } catch (error) {
      // Nobody knows whether a commit whose answer got lost happened; and a database that is away is so for all.
      if (isUnavailable(error) && sqlState(error) !== lockNotAvailable) return refuse(batch, error);
      for (const [thing, group] of Map.groupBy(batch, ({ item }) => about(item)))
        await beginLane(thing, group);
    }
  }

  /** Resolves when the lane is there, not when it has ended. */
  async function beginLane(thing: string | number, group: readonly Waiting[]): Promise<void> {
    while (!lanes.has(thing) && lanes.size >= lanesAtMost)
      await Promise.race([...lanes.values()].map((lane) => lane.ended));
    const known = lanes.get(thing);
    if (known !== undefined) known.next.push(...group);
    else {
      const next = [...group];
      lanes.set(thing, { next, ended: runLane(thing, next) });
    }
  }

  async function runLane(thing: string | number, next: Waiting[]): Promise<void> {
    // Not before it is known as a lane.
    await Promise.resolve();
    while (next.length > 0) await writeAlike(next.splice(0, most));
    lanes.delete(thing);
  }

  async function writeAlike(group: readonly Waiting[]): Promise<void> {
    try {
      settle(group, await write(itemsOf(group), { patient: true }));
    } catch (error) {
      if (group.length === 1 || isUnavailable(error)) return refuse(group, error);
      for (const one of group) await writeAlike([one]);
    }
  }

  function settle(batch: readonly Waiting[], outcomes: readonly Outcome<Result>[]): void {
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index];
      if (outcome instanceof ProblemError) reject(outcome);
      else resolve(outcome as Result);
    }
  }

  function refuse(batch: readonly Waiting[], error: unknown): void {
    for (const { reject } of batch) reject(error);
  }

  function itemsOf(batch: readonly Waiting[]): Item[] {
    return batch.map(({ item }) => item);
  }
}

const lockNotAvailable = '55P03';
