import { LRUCache } from 'lru-cache';
import type { TopicEvent } from './events.ts';
import type { Topic } from '#shared/core/events.ts';

/** What is kept until something happens that it shows. */
export type CacheEntry = {
  /** Bytes it takes, about. */
  bytes: number;
  /** Whose events it may go stale by. */
  topics: readonly Topic[];
  isStaleBy: (news: TopicEvent) => boolean;
};

/** A value being made. Who asks while it is `open` gets it; after an event that may concern it, nobody new does. */
type PendingEntry<Value> = {
  value: Promise<Value>;
  next: Promise<Value> | undefined;
  topics: readonly Topic[];
  /** What has happened since it began. */
  events: TopicEvent[];
  isOpen: boolean;
  /** More has happened than is remembered. */
  isTruncated: boolean;
};

export type CacheHooks<Value> = {
  /** Called with a value that is about to be kept; false: it is not. */
  admit?: (value: Value, key: string) => boolean;
  /** Gives a value as it is after news that it goes stale by; undefined where it has to be made anew. */
  update?: (value: Value, news: TopicEvent) => Value | undefined;
  /** Called for each value that is kept no longer. */
  onEvict?: (value: Value, key: string) => void;
};

/**
 * Milliseconds after which a value is made anew, whatever nobody told of: a statement by hand, or a node of the version
 * before, which tells of less.
 */
const maxAgeMs = 10 * 60_000;

/** Events remembered while one value is made. */
const maxPendingEvents = 5_000;

/**
 * Values by key, bounded by their size, the least recently used one going first. None outlives an event that concerns
 * it: not one that is kept, nor one whose making began before the event. A value is made once for all who wait for it.
 */
export class EventCache<Value extends CacheEntry> {
  readonly #values: LRUCache<string, Value>;
  /** Most topics are carried by one value, which needs no set of its own. */
  readonly #keys = new Map<Topic, string | Set<string>>();
  readonly #making = new Map<string, PendingEntry<Value>>();

  readonly #hooks: CacheHooks<Value>;

  constructor(maxBytes: number, hooks: CacheHooks<Value> = {}) {
    this.#hooks = hooks;
    this.#values = new LRUCache<string, Value>({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }) => bytes,
      ttl: maxAgeMs,
      ttlResolution: 1_000,
      dispose: (value, key) => this.#unlink(key, value),
    });
  }

  /** Bytes of all that is kept. */
  get bytes(): number {
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

  delete(key: string): void {
    this.#values.delete(key);
  }

  /**
   * What is kept, or what `make` makes, no older than this call.
   * @param topics those known beforehand, whose events may concern it.
   */
  getOrCreate(key: string, topics: readonly Topic[], make: () => Promise<Value>): Promise<Value> {
    const value = this.#values.get(key);
    if (value !== undefined) return Promise.resolve(value);
    const making = this.#making.get(key);
    if (making === undefined) return this.#make(key, topics, make);
    if (making.isOpen) return making.value;
    // At most one is made at a time, and one waits for it: what it finds is not too old for anybody who waits here.
    const again = () => this.getOrCreate(key, topics, make);
    return (making.next ??= making.value.then(again, again));
  }

  applyEvents(news: readonly TopicEvent[]): void {
    for (const each of news) {
      // A value that is revised is put under its topics again meanwhile.
      const keys = [...this.keysOf(each.topic)];
      for (const key of keys) this.#hearKept(key, each);
      for (const making of this.#making.values()) recordEvent(making, each);
    }
  }

  #hearKept(key: string, news: TopicEvent): void {
    const value = this.#values.peek(key);
    if (value?.isStaleBy(news) !== true) return;
    const revised = this.#hooks.update?.(value, news);
    if (revised === undefined) this.#values.delete(key);
    // As old as what it was made from.
    else if (revised !== value) this.#put(key, revised, this.#values.getRemainingTTL(key));
  }

  /** What is kept, and what is being made, may be too old. */
  clear(): void {
    this.#values.clear();
    for (const making of this.#making.values()) {
      making.isOpen = false;
      making.isTruncated = true;
    }
  }

  #make(key: string, topics: readonly Topic[], make: () => Promise<Value>): Promise<Value> {
    const making: PendingEntry<Value> = {
      value: make().then(
        (value) => {
          this.#making.delete(key);
          const kept = making.isTruncated ? undefined : this.#revised(value, making.events);
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
      events: [],
      isOpen: true,
      isTruncated: false,
    };
    this.#making.set(key, making);
    return making.value;
  }

  /** A value after what has happened since its making began; undefined where it is too old. */
  #revised(value: Value, news: readonly TopicEvent[]): Value | undefined {
    let revised: Value | undefined = value;
    for (const each of news)
      if (isAffected(value, each)) revised = revised && this.#hooks.update?.(revised, each);
    return revised;
  }

  /** @param ttl milliseconds that it may still be kept. */
  #put(key: string, value: Value, ttl = maxAgeMs): void {
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
    this.#hooks.onEvict?.(value, key);
  }
}

function isAffected(value: CacheEntry, news: TopicEvent): boolean {
  return value.topics.includes(news.topic) && value.isStaleBy(news);
}

function recordEvent<Value>(making: PendingEntry<Value>, news: TopicEvent): void {
  if (making.events.length === maxPendingEvents) making.isTruncated = true;
  else making.events.push(news);
  // Whose names it will show is not known yet.
  if (making.topics.includes(news.topic) || news.event.kind === 'member-renamed') making.isOpen = false;
}
