import type { LiveEvent, Topic } from '#shared/core/events.ts';
import type { TopicEvent } from './events.ts';
import { coversSnapshot, type EventPosition, includesEvent, type StreamSnapshot } from './event-position.ts';

/** An event as it is read from the table. */
export type StoredEvent = TopicEvent & EventPosition;

/** Kept at most: some minutes of a busy community, about 10 MB. */
const maxEvents = 20_000;

/**
 * The last events a node has read, by topic: a thousand browsers that come back at once after a restart or a lost
 * network are answered without asking the database a thousand times.
 */
export class EventBuffer {
  #since: StreamSnapshot;
  readonly #batches: { until: StreamSnapshot; topics: Topic[] }[] = [];
  readonly #events = new Map<Topic, (EventPosition & { event: LiveEvent })[]>();
  #count = 0;

  /** @param since what had happened then is not among them. */
  constructor(since: StreamSnapshot) {
    this.#since = since;
  }

  /** @param until what had happened then has been added. */
  add(events: readonly StoredEvent[], until: StreamSnapshot): void {
    for (const { topic, event, id, transactionId } of events) {
      const entry = { id, transactionId, event };
      const known = this.#events.get(topic);
      if (known === undefined) this.#events.set(topic, [entry]);
      else known.push(entry);
    }
    this.#batches.push({ until, topics: events.map((each) => each.topic) });
    this.#count += events.length;
    while (this.#count > maxEvents) this.#dropOldest();
  }

  /** Whether all that happened after a moment is here. */
  coversSince(moment: StreamSnapshot): boolean {
    return coversSnapshot(moment, this.#since);
  }

  /** What happened on a topic after a moment, in order. */
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
