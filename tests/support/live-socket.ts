import { io, type Socket } from 'socket.io-client';
import { onTestFinished } from 'vitest';
import type {
  EventBatch,
  LiveEvent,
  ReconnectRequest,
  Position,
  SubscribeResult,
  Topic,
} from '#shared/core/events.ts';
import type { ApiClient } from './member.ts';

type Connection = Socket<
  {
    events: (batch: EventBatch) => void;
    gap: (position: Position) => void;
    reconnect: (move: ReconnectRequest) => void;
  },
  { subscribe: (wanted: object, answer: (subscribed: SubscribeResult) => void) => void }
>;

/** A member's subscription to one topic, on whichever node its socket is connected. */
export class LiveSocket {
  /** In order of arrival. */
  readonly events: LiveEvent[] = [];
  /** How often it connected, was asked to move to another node, and had missed events. */
  connections = 0;
  moves = 0;
  gaps = 0;
  readonly #topic: Topic;
  readonly #socket: Connection;
  #since: Position | undefined;
  #subscribed = Promise.withResolvers<void>();

  /** Subscribes to a topic from now on, as the member's browser does. Closed after the test. */
  static async open(member: ApiClient, topic: Topic): Promise<LiveSocket> {
    const socket = new LiveSocket(member, topic);
    await socket.#subscribed.promise;
    return socket;
  }

  private constructor(member: ApiClient, topic: Topic) {
    this.#topic = topic;
    const cookie = [...member.cookies].map((pair) => pair.join('=')).join('; ');
    const socket: Connection = io(member.address, {
      path: '/api/live',
      transports: ['websocket'],
      forceNew: true,
      extraHeaders: { cookie },
    });
    this.#socket = socket;
    onTestFinished(() => void socket.disconnect());
    socket.on('connect', () => this.#subscribe());
    socket.on('events', (batch) => this.#receive(batch));
    socket.on('gap', (position) => {
      this.gaps++;
      this.#since = position;
    });
    let moving: NodeJS.Timeout | undefined;
    socket.on('reconnect', ({ withinMs }) => {
      this.moves++;
      moving = setTimeout(() => socket.disconnect().connect(), Math.random() * withinMs);
    });
    socket.on('disconnect', (reason) => {
      clearTimeout(moving);
      if (reason === 'io server disconnect') setTimeout(() => socket.connect(), 500);
    });
  }

  get isConnected(): boolean {
    return this.#socket.connected;
  }

  /** Resolves when the server closes the socket. */
  closed(): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.on('disconnect', (reason) => {
        if (reason === 'io server disconnect') resolve();
      });
    });
  }

  #subscribe(): void {
    this.connections++;
    // Sent synchronously: after a promise, messages that follow the acknowledgement could arrive first.
    this.#socket.emit('subscribe', { topic: this.#topic, since: this.#since ?? '' }, (answer) => {
      if (!answer.ok) {
        this.#subscribed.reject(new Error(`subscription refused: ${answer.reason}`));
        return;
      }
      // The first subscription has no position to resume from.
      if (answer.gap && this.#since !== undefined) this.gaps++;
      this.events.push(...answer.events);
      this.#since = answer.position;
      this.#subscribed.resolve();
    });
  }

  #receive({ topic, events, position }: EventBatch): void {
    if (topic !== this.#topic) return;
    this.events.push(...events);
    this.#since = position;
  }
}
