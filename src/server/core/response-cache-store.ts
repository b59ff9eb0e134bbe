import { LRUCache } from 'lru-cache';
import type { TopicEvent } from './events.ts';
import type { Topic } from '#shared/core/events.ts';

/** A cache entry that is valid until an event affects it. */
export type CacheEntry = {
  /** The approximate memory in bytes. */
  bytes: number;
  /** The topics whose events may make it stale. */
  topics: readonly Topic[];
  isStaleBy: (event: TopicEvent) => boolean;
};

/**
 * A value being created. Requests share it while it `isOpen`. An event that may affect it closes it for new requests.
 */
type PendingEntry<Value> = {
  value: Promise<Value>;
  next: Promise<Value> | undefined;
  topics: readonly Topic[];
  /** The events since its creation started. */
  events: TopicEvent[];
  isOpen: boolean;
  /** There were more events than are recorded. */
  isTruncated: boolean;
};

export type CacheHooks<Value> = {
  /** Called before a value is stored. If it returns false, the value is not stored. */
  admit?: (value: Value, key: string) => boolean;
  /** Updates a value after an event that makes it stale. Undefined if it must be created again. */
  update?: (value: Value, event: TopicEvent) => Value | undefined;
  /** Called for each value that is removed. */
  onEvict?: (value: Value, key: string) => void;
};

/**
 * The maximum age of a value in milliseconds. It covers changes without an event: a manual SQL statement, or a node of
 * the previous version that publishes fewer events.
 */
const maxAgeMs = 10 * 60_000;

/** The maximum number of events recorded while a value is created. */
const maxPendingEvents = 5_000;

/**
 * An LRU cache by key, bounded by bytes. An event removes every value it affects, including one whose creation started
 * before the event. Concurrent requests for a value share its creation.
 */
export class EventCache<Value extends CacheEntry> {
  readonly #values: LRUCache<string, Value>;
  /** Most topics have one value, which needs no Set. */
  readonly #keys = new Map<Topic, string | Set<string>>();
  readonly #pending = new Map<string, PendingEntry<Value>>();

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

  /** The memory of all values in bytes. */
  get bytes(): number {
    return this.#values.calculatedSize;
  }

  find(key: string): Value | undefined {
    return this.#values.get(key);
  }

  /** The keys of the values with a topic. */
  keysOf(topic: Topic): Iterable<string> {
    const keys = this.#keys.get(topic) ?? [];
    return typeof keys === 'string' ? [keys] : keys;
  }

  delete(key: string): void {
    this.#values.delete(key);
  }

  /**
   * Returns the cached value or the result of `create`, never older than this call.
   * @param topics the topics known in advance whose events may affect the value
   */
  getOrCreate(key: string, topics: readonly Topic[], create: () => Promise<Value>): Promise<Value> {
    const value = this.#values.get(key);
    if (value !== undefined) return Promise.resolve(value);
    const pending = this.#pending.get(key);
    if (pending === undefined) return this.#create(key, topics, create);
    if (pending.isOpen) return pending.value;
    // At most one creation runs and one waits. The waiting one starts after all requests that share it.
    const again = () => this.getOrCreate(key, topics, create);
    return (pending.next ??= pending.value.then(again, again));
  }

  applyEvents(events: readonly TopicEvent[]): void {
    for (const each of events) {
      // Updating a value changes the keys of its topics.
      const keys = [...this.keysOf(each.topic)];
      for (const key of keys) this.#updateEntry(key, each);
      for (const pending of this.#pending.values()) recordEvent(pending, each);
    }
  }

  #updateEntry(key: string, event: TopicEvent): void {
    const value = this.#values.peek(key);
    if (value?.isStaleBy(event) !== true) return;
    const updated = this.#hooks.update?.(value, event);
    if (updated === undefined) this.#values.delete(key);
    // Keeps the age of the value it replaces.
    else if (updated !== value) this.#put(key, updated, this.#values.getRemainingTTL(key));
  }

  /** Removes all values, and those being created, because they may be stale. */
  clear(): void {
    this.#values.clear();
    for (const pending of this.#pending.values()) {
      pending.isOpen = false;
      pending.isTruncated = true;
    }
  }

  #create(key: string, topics: readonly Topic[], create: () => Promise<Value>): Promise<Value> {
    const pending: PendingEntry<Value> = {
      value: create().then(
        (value) => {
          this.#pending.delete(key);
          const stored = pending.isTruncated ? undefined : this.#applyUpdates(value, pending.events);
          if (stored !== undefined) this.#put(key, stored);
          return stored ?? value;
        },
        (error: unknown) => {
          this.#pending.delete(key);
          throw error;
        },
      ),
      next: undefined,
      topics,
      events: [],
      isOpen: true,
      isTruncated: false,
    };
    this.#pending.set(key, pending);
    return pending.value;
  }

  /** The value after the events since its creation started. Undefined if it is stale. */
  #applyUpdates(value: Value, events: readonly TopicEvent[]): Value | undefined {
    let updated: Value | undefined = value;
    for (const each of events)
      if (isAffected(value, each)) updated = updated && this.#hooks.update?.(updated, each);
    return updated;
  }

  /**
   * Stores a value.
   * @param ttl the remaining lifetime in milliseconds
   */
  #put(key: string, value: Value, ttl = maxAgeMs): void {
    if (this.#hooks.admit?.(value, key) === false) return;
    this.#values.set(key, value, { ttl: Math.max(1, Math.floor(ttl)) });
    // The value is larger than the whole cache.
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

function isAffected(value: CacheEntry, event: TopicEvent): boolean {
  return value.topics.includes(event.topic) && value.isStaleBy(event);
}

function recordEvent<Value>(pending: PendingEntry<Value>, event: TopicEvent): void {
  if (pending.events.length === maxPendingEvents) pending.isTruncated = true;
  else pending.events.push(event);
  // The names on the page are not known yet.
  if (pending.topics.includes(event.topic) || event.event.kind === 'member-renamed') pending.isOpen = false;
}
