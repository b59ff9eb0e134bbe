import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import type { Socket } from 'socket.io-client';
import type {
  EventBatch,
  EventOn,
  LiveEvent,
  Move,
  Position,
  Subscribed,
  Topic,
  Writing,
} from '#shared/events.ts';
import { patiently } from './lazy-part.ts';
import { notePosition, safePosition } from './position.ts';
import { sessionEnded, sessionQuery } from './session.ts';
import { lookForNewVersionSoon } from './upgrade.ts';
import { forgetWriting, hearWriting, sayWritingAgain, sayWritingBy } from './writing.ts';

/** What a page does with what others do. `missed`: some events are gone for good; look again at everything. */
export type Listener<Event = LiveEvent> = { heard: (events: readonly Event[]) => void; missed: () => void };

/** How long a subscription that was not answered waits for the next try, in milliseconds. */
const retryAfter = 3_000;

/** The server says something every 25 seconds; after so many milliseconds of silence the connection is dead. */
const silence = 35_000;

type Subscription = { since: Position | undefined; listeners: Set<Listener> };
type LiveSocket = Socket<
  {
    events: (batch: EventBatch) => void;
    missed: (position: Position) => void;
    writing: (writing: Writing) => void;
    moving: (move: Move) => void;
  },
  {
    subscribe: (wanted: object, answer: (subscribed: Subscribed) => void) => void;
    unsubscribe: (topic: Topic) => void;
    writing: (topic: Topic, going: boolean) => void;
  }
>;

const subscriptions = new Map<Topic, Subscription>();
let socket: LiveSocket | undefined;

/**
 * Keeps a connection for the member who is signed in. After sleep, a lost network or a restart it comes back by itself
 * and hears what it missed from where it was.
 */
export function useLiveConnection(): void {
  const client = useQueryClient();
  useEffect(() => connect(client), [client]);
}

/** Listens to a topic while the component shows. */
export function useLive<T extends Topic>(topic: T, listener: Listener<EventOn<T>>): void {
  // The server tells on a topic only what belongs to it.
  const heard = useEffectEvent((events: readonly LiveEvent[]) => listener.heard(events as EventOn<T>[]));
  const missed = useEffectEvent(() => listener.missed());
  useEffect(() => {
    const mine: Listener = { heard: (events) => heard(events), missed: () => missed() };
    listen(topic, mine);
    return () => unlisten(topic, mine);
  }, [topic]);
}

/** Returns what ends the connection. */
function connect(client: QueryClient): () => void {
  const ending = new AbortController();
  void open(client, ending.signal);
  return () => {
    ending.abort();
    socket?.disconnect();
    socket = undefined;
  };
}

async function open(client: QueryClient, ending: AbortSignal): Promise<void> {
  const { io } = await patiently(() => import('socket.io-client'));
  if (ending.aborted) return;
  const opened: LiveSocket = io({
    path: '/api/live',
    transports: ['websocket'],
    reconnectionDelayMax: 10_000,
  });
  socket = opened;
  let connected = false;
  opened.on('connect', () => {
    if (connected) lookForNewVersionSoon();
    connected = true;
    for (const [topic, subscription] of subscriptions) void subscribe(topic, subscription);
  });
  opened.on('events', hear);
  opened.on('missed', missAll);
  moveWhenAsked(opened);
  wakeUp(opened, ending);
  opened.on('writing', (writing) => {
    if (subscriptions.has(writing.topic)) hearWriting(writing);
  });
  sayWritingBy((topic, going) => opened.volatile.emit('writing', topic, going));
  opened.on('connect_error', (error) => {
    if (error.message === 'signed-out') sessionEnded(client);
  });
  opened.on('disconnect', (reason) => {
    forgetWriting();
    // The server closes a socket whose session ended, and also when it restarts: ask which it was.
    if (reason !== 'io server disconnect') return;
    void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    setTimeout(() => !ending.aborted && opened.connect(), 500 + Math.random() * 1500);
  });
}

/** Each browser at a moment of its own, so that the other nodes are not met by all at once. */
function moveWhenAsked(opened: LiveSocket): void {
  let moving: number | undefined;
  opened.on('moving', ({ within }) => {
    moving = window.setTimeout(() => opened.disconnect().connect(), Math.random() * within);
  });
  opened.on('disconnect', () => window.clearTimeout(moving));
}

/**
 * After sleep, or in another network, a connection may be dead without anybody having noticed, and the next try far off:
 * who looks at the page again gets a new one at once.
 */
function wakeUp(opened: LiveSocket, signal: AbortSignal): void {
  let heardAt = Date.now();
  const heard = () => (heardAt = Date.now());
  opened.io.on('ping', heard);
  opened.on('connect', heard);
  const look = () => {
    if (document.visibilityState === 'hidden') return;
    if (!opened.connected || Date.now() - heardAt > silence) opened.disconnect().connect();
  };
  window.addEventListener('online', look, { signal });
  document.addEventListener('visibilitychange', look, { signal });
}

function listen(topic: Topic, listener: Listener): void {
  const existing = subscriptions.get(topic);
  if (existing !== undefined) {
    existing.listeners.add(listener);
    return;
  }
  const subscription: Subscription = { since: safePosition(), listeners: new Set([listener]) };
  subscriptions.set(topic, subscription);
  void subscribe(topic, subscription);
}

function unlisten(topic: Topic, listener: Listener): void {
  const subscription = subscriptions.get(topic);
  subscription?.listeners.delete(listener);
  if (subscription === undefined || subscription.listeners.size > 0) return;
  subscriptions.delete(topic);
  forgetWriting(topic);
  socket?.emit('unsubscribe', topic);
}

async function subscribe(topic: Topic, subscription: Subscription): Promise<void> {
  if (socket === undefined || !socket.connected || subscriptions.get(topic) !== subscription) return;
  const wanted = { topic, since: subscription.since ?? '' };
  const answer: Subscribed | null = await socket
    .timeout(10_000)
    .emitWithAck('subscribe', wanted)
    .catch(() => null);
  if (subscriptions.get(topic) !== subscription) return;
  if (answer === null || (!answer.ok && answer.reason === 'unavailable')) {
    setTimeout(() => void subscribe(topic, subscription), retryAfter);
    return;
  }
  if (!answer.ok) return;
  notePosition(answer.position);
  sayWritingAgain(topic);
  // Without a position before, the page shows what was kept: what happened since then is not known.
  const unknown = subscription.since === undefined;
  subscription.since = answer.position;
  if (answer.gap || unknown) for (const listener of subscription.listeners) listener.missed();
  else tell(subscription, answer.events);
}

function hear({ topic, events, position }: EventBatch): void {
  notePosition(position);
  const subscription = subscriptions.get(topic);
  if (subscription === undefined) return;
  subscription.since = position;
  tell(subscription, events);
}

function missAll(position: Position): void {
  notePosition(position);
  for (const subscription of subscriptions.values()) {
    subscription.since = position;
    for (const listener of subscription.listeners) listener.missed();
  }
}

function tell({ listeners }: Subscription, events: readonly LiveEvent[]): void {
  if (events.length === 0) return;
  for (const listener of listeners) listener.heard(events);
}
