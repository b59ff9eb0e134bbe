import type { LiveEvent, Topic } from '#shared/events.ts';
import type { StreamedEvent } from './events.ts';
import { covers, type EventPlace, hadHappened, type Moment } from './position.ts';

/** An event as it is read from the table. */
export type ReadEvent = StreamedEvent & EventPlace;

/** Kept at most: some minutes of a busy community, about 10 MB. */
const kept = 20_000;

/**
 * The last events a node has read, by topic: a thousand browsers that come back at once after a restart or a lost
 * network are answered without asking the database a thousand times.
 */
export class RecentEvents {
  #since: Moment;
  readonly #batches: { until: Moment; topics: Topic[] }[] = [];
  readonly #events = new Map<Topic, (EventPlace & { event: LiveEvent })[]>();
  #count = 0;

  /** @param since what had happened then is not among them. */
  constructor(since: Moment) {
    this.#since = since;
  }

  /** @param until what had happened then has been added. */
  add(events: readonly ReadEvent[], until: Moment): void {
    for (const { topic, event, id, transactionId } of events) {
      const entry = { id, transactionId, event };
      const known = this.#events.get(topic);
      if (known === undefined) this.#events.set(topic, [entry]);
      else known.push(entry);
    }
    this.#batches.push({ until, topics: events.map((each) => each.topic) });
    this.#count += events.length;
    while (this.#count > kept) this.#dropOldest();
  }

  /** Whether all that happened after a moment is here. */
  reachBackTo(moment: Moment): boolean {
    return covers(moment, this.#since);
  }

  /** What happened on a topic after a moment, in order. */
  after(moment: Moment, topic: Topic): LiveEvent[] {
    const events = this.#events.get(topic) ?? [];
    return events.filter((each) => !hadHappened(moment, each)).map((each) => each.event);
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
