import { LRUCache } from 'lru-cache';
import type { StreamedEvent } from '#server/platform/events.ts';
import type { Topic } from '#shared/events.ts';

/** What is kept until something happens that it shows. */
export type Keepable = {
  /** Bytes it takes, about. */
  size: number;
  /** Whose events it may go stale by. */
  topics: readonly Topic[];
  isStaleBy: (news: StreamedEvent) => boolean;
};

/** A value being made. Who asks while it is `open` gets it; after an event that may concern it, nobody new does. */
type Making<Value> = {
  made: Promise<Value>;
  next: Promise<Value> | undefined;
  topics: readonly Topic[];
  /** What has happened since it began. */
  news: StreamedEvent[];
  open: boolean;
  /** More has happened than is remembered. */
  lost: boolean;
};

export type KeepHooks<Value> = {
  /** Called with a value that is about to be kept; false: it is not. */
  admit?: (value: Value, key: string) => boolean;
  /** Gives a value as it is after news that it goes stale by; undefined where it has to be made anew. */
  revise?: (value: Value, news: StreamedEvent) => Value | undefined;
  /** Called for each value that is kept no longer. */
  onDrop?: (value: Value, key: string) => void;
};

/**
 * Milliseconds after which a value is made anew, whatever nobody told of: a statement by hand, or a node of the version
 * before, which tells of less.
 */
const longest = 10 * 60_000;

/** Events remembered while one value is made. */
const remembered = 5_000;

/**
 * Values by key, bounded by their size, the least recently used one going first. None outlives an event that concerns
 * it: not one that is kept, nor one whose making began before the event. A value is made once for all who wait for it.
 */
export class Keep<Value extends Keepable> {
  readonly #values: LRUCache<string, Value>;
  /** Most topics are carried by one value, which needs no set of its own. */
  readonly #keys = new Map<Topic, string | Set<string>>();
  readonly #making = new Map<string, Making<Value>>();

  readonly #hooks: KeepHooks<Value>;

  constructor(maxBytes: number, hooks: KeepHooks<Value> = {}) {
    this.#hooks = hooks;
    this.#values = new LRUCache<string, Value>({
      maxSize: maxBytes,
      sizeCalculation: ({ size }) => size,
      ttl: longest,
      ttlResolution: 1_000,
      dispose: (value, key) => this.#unlink(key, value),
    });
  }

  /** Bytes of all that is kept. */
  get size(): number {
    return this.#values.calculatedSize;
  }

  find(key: string): Value | undefined {
    return this.#values.get(key);
  }

  /** The keys of what is kept and carries a topic. */
  keysOf(topic: Topic): Iterable<string> {
    const keys = this.#keys.get(topic) ?? [];
    return typeof keys === 'string' ? [keys] : keys;
  }

  drop(key: string): void {
    this.#values.delete(key);
  }

  /**
   * What is kept, or what `make` makes, no older than this call.
   * @param topics those known beforehand, whose events may concern it.
   */
  get(key: string, topics: readonly Topic[], make: () => Promise<Value>): Promise<Value> {
    const value = this.#values.get(key);
    if (value !== undefined) return Promise.resolve(value);
    const making = this.#making.get(key);
    if (making === undefined) return this.#make(key, topics, make);
    if (making.open) return making.made;
    // At most one is made at a time, and one waits for it: what it finds is not too old for anybody who waits here.
    const again = () => this.get(key, topics, make);
    return (making.next ??= making.made.then(again, again));
  }

  changed(news: readonly StreamedEvent[]): void {
    for (const each of news) {
      // A value that is revised is put under its topics again meanwhile.
      const keys = [...this.keysOf(each.topic)];
      for (const key of keys) this.#hearKept(key, each);
      for (const making of this.#making.values()) hear(making, each);
    }
  }

  #hearKept(key: string, news: StreamedEvent): void {
    const value = this.#values.peek(key);
    if (value?.isStaleBy(news) !== true) return;
    const revised = this.#hooks.revise?.(value, news);
    if (revised === undefined) this.#values.delete(key);
    // As old as what it was made from.
    else if (revised !== value) this.#put(key, revised, this.#values.getRemainingTTL(key));
  }

  /** What is kept, and what is being made, may be too old. */
  clear(): void {
    this.#values.clear();
    for (const making of this.#making.values()) {
      making.open = false;
      making.lost = true;
    }
  }

  #make(key: string, topics: readonly Topic[], make: () => Promise<Value>): Promise<Value> {
    const making: Making<Value> = {
      made: make().then(
        (value) => {
          this.#making.delete(key);
          const kept = making.lost ? undefined : this.#revised(value, making.news);
          if (kept !== undefined) this.#put(key, kept);
          return kept ?? value;
        },
        (error: unknown) => {
          this.#making.delete(key);
          throw error;
        },
      ),
      next: undefined,
      topics,
      news: [],
      open: true,
      lost: false,
    };
    this.#making.set(key, making);
    return making.made;
  }

  /** A value after what has happened since its making began; undefined where it is too old. */
  #revised(value: Value, news: readonly StreamedEvent[]): Value | undefined {
    let revised: Value | undefined = value;
    for (const each of news)
      if (concerns(value, each)) revised = revised && this.#hooks.revise?.(revised, each);
    return revised;
  }

  /** @param ttl milliseconds that it may still be kept. */
  #put(key: string, value: Value, ttl = longest): void {
    if (this.#hooks.admit?.(value, key) === false) return;
    this.#values.set(key, value, { ttl: Math.max(1, Math.floor(ttl)) });
    // One larger than all that may be kept is not.
    if (this.#values.peek(key) !== value) return;
    for (const topic of value.topics) {
      const keys = this.#keys.get(topic);
      if (keys === undefined) this.#keys.set(topic, key);
      else if (typeof keys !== 'string') keys.add(key);
      else if (keys !== key) this.#keys.set(topic, new Set([keys, key]));
    }
  }

  #unlink(key: string, value: Value): void {
    for (const topic of value.topics) {
      const keys = this.#keys.get(topic);
      if (keys === key) this.#keys.delete(topic);
      else if (typeof keys === 'object' && keys.delete(key) && keys.size === 0) this.#keys.delete(topic);
    }
    this.#hooks.onDrop?.(value, key);
  }
}

function concerns(value: Keepable, news: StreamedEvent): boolean {
  return value.topics.includes(news.topic) && value.isStaleBy(news);
}

function hear<Value>(making: Making<Value>, news: StreamedEvent): void {
  if (making.news.length === remembered) making.lost = true;
  else making.news.push(news);
  // Whose names it will show is not known yet.
  if (making.topics.includes(news.topic) || news.event.kind === 'member-renamed') making.open = false;
}
