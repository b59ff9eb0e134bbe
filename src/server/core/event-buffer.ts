import type { LiveEvent, Topic } from '#shared/core/events.ts';
import type { TopicEvent } from './events.ts';
import { coversSnapshot, type EventPosition, includesEvent, type StreamSnapshot } from './event-position.ts';

/** An event as it is read from the table. */
export type StoredEvent = TopicEvent & EventPosition;

/** The maximum number of events, about 10 MB: a few minutes of a busy community. */
export const maxBufferedEvents = 20_000;

/**
 * The latest events that a node has read, by topic. When a thousand browsers reconnect after a restart or network
 * failure, they are served from here instead of a thousand database queries.
 */
export class EventBuffer {
  #since: StreamSnapshot;
  readonly #batches: { until: StreamSnapshot; topics: Topic[] }[] = [];
  readonly #events = new Map<Topic, (EventPosition & { event: LiveEvent })[]>();
  #count = 0;

  /** @param since events up to this snapshot are not in the buffer */
  constructor(since: StreamSnapshot) {
    this.#since = since;
  }

  /**
   * Adds events.
   * @param until the buffer contains all events up to this snapshot
   */
  add(events: readonly StoredEvent[], until: StreamSnapshot): void {
    for (const { topic, event, id, transactionId } of events) {
      const entry = { id, transactionId, event };
      const known = this.#events.get(topic);
      if (known === undefined) this.#events.set(topic, [entry]);
      else known.push(entry);
    }
    this.#batches.push({ until, topics: events.map((each) => each.topic) });
    this.#count += events.length;
    while (this.#count > maxBufferedEvents) this.#dropOldest();
  }

  /** Whether the buffer contains all events after this snapshot. */
  coversSince(moment: StreamSnapshot): boolean {
    return coversSnapshot(moment, this.#since);
  }

  /** The events of a topic after a snapshot, in order. */
  listAfter(moment: StreamSnapshot, topic: Topic): LiveEvent[] {
    const events = this.#events.get(topic) ?? [];
    return events.filter((each) => !includesEvent(moment, each)).map((each) => each.event);
  }

  #dropOldest(): void {
    const oldest = this.#batches.shift();
    if (oldest === undefined) return;
    this.#since = oldest.until;
    this.#count -= oldest.topics.length;
    for (const topic of oldest.topics) {
      const events = this.#events.get(topic);
      events?.shift();
      if (events?.length === 0) this.#events.delete(topic);
    }
  }
}
