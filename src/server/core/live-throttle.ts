import { type LiveEvent, coalesceEvents, type Position, type Topic } from '#shared/core/events.ts';

type ThrottledEvents = { events: LiveEvent[]; position: Position; timer: NodeJS.Timeout };

/**
 * Throttles busy topics. The first events of a topic are sent immediately. Later ones are collected for a while and
 * sent together, without those that a later event replaces. The interval grows with the number of listeners, because
 * each message costs one delivery per listener.
 */
export class EventThrottle {
  readonly #bursts = new Map<Topic, ThrottledEvents>();
  readonly #send: (topic: Topic, events: LiveEvent[], position: Position) => void;
  readonly #listeners: (topic: Topic) => number;

  constructor(
    listeners: (topic: Topic) => number,
    send: (topic: Topic, events: LiveEvent[], position: Position) => void,
  ) {
    this.#listeners = listeners;
    this.#send = send;
  }

  add(topic: Topic, events: LiveEvent[], position: Position): void {
    const burst = this.#bursts.get(topic);
    if (burst === undefined) {
      this.#send(topic, coalesceEvents(events), position);
      this.#wait(topic, position);
    } else {
      burst.events.push(...events);
      burst.position = position;
    }
  }

  /** Sends the queued events of a topic, so that a socket that joins afterwards receives nothing twice. */
  flush(topic: Topic): void {
    const burst = this.#bursts.get(topic);
    if (burst === undefined || burst.events.length === 0) return;
    this.#send(topic, coalesceEvents(burst.events), burst.position);
    burst.events = [];
  }

  /** Sends the queued events of all topics. */
  flushAll(): void {
    for (const topic of this.#bursts.keys()) this.flush(topic);
  }

  stop(): void {
    for (const [topic, { timer }] of this.#bursts) {
      clearTimeout(timer);
      this.flush(topic);
    }
    this.#bursts.clear();
  }

  #wait(topic: Topic, position: Position): void {
    const timer = setTimeout(() => this.#end(topic), throttleMs(this.#listeners(topic)));
    this.#bursts.set(topic, { events: [], position, timer });
  }

  #end(topic: Topic): void {
    const burst = this.#bursts.get(topic);
    this.#bursts.delete(topic);
    if (burst === undefined || burst.events.length === 0) return;
    this.#send(topic, coalesceEvents(burst.events), burst.position);
    this.#wait(topic, burst.position);
  }
}

/** The interval between two messages of a topic, in milliseconds: 30 for a few listeners, 200 for ten thousand. */
function throttleMs(listeners: number): number {
  return Math.min(200, 30 + listeners / 50);
}
