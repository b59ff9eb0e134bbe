import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import type { Socket } from 'socket.io-client';
import type {
  EventBatch,
  EventOn,
  LiveEvent,
  ReconnectRequest,
  Position,
  SubscribeResult,
  Topic,
  TypingPresence,
} from '#shared/core/events.ts';
import { retryUntilLoaded } from './lazy.ts';
import { recordPosition, getSafePosition } from './live-position.ts';
import { markSessionEnded, sessionQuery } from './session.ts';
import { scheduleVersionCheck } from './app-version.ts';
import { clearTypingCounts, handleTypingEvent, resendTyping, setTypingTransport } from './typing-presence.ts';

/** What a page does with what others do. `missed`: some events are gone for good; look again at everything. */
export type LiveListener<Event = LiveEvent> = {
  onEvents: (events: readonly Event[]) => void;
  onMissed: () => void;
};

/** How long a subscription that was not answered waits for the next try, in milliseconds. */
const resubscribeDelayMs = 3_000;

/** The server says something every 25 seconds; after so many milliseconds of silence the connection is dead. */
const maxSilenceMs = 35_000;

type Subscription = { since: Position | undefined; listeners: Set<LiveListener> };
type LiveSocket = Socket<
  {
    events: (batch: EventBatch) => void;
    gap: (position: Position) => void;
    typing: (writing: TypingPresence) => void;
    reconnect: (move: ReconnectRequest) => void;
  },
  {
    subscribe: (wanted: object, answer: (subscribed: SubscribeResult) => void) => void;
    unsubscribe: (topic: Topic) => void;
    typing: (topic: Topic, going: boolean) => void;
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
export function useLive<T extends Topic>(topic: T, listener: LiveListener<EventOn<T>>): void {
  // The server tells on a topic only what belongs to it.
  const heard = useEffectEvent((events: readonly LiveEvent[]) => listener.onEvents(events as EventOn<T>[]));
  const missed = useEffectEvent(() => listener.onMissed());
  useEffect(() => {
    const mine: LiveListener = { onEvents: (events) => heard(events), onMissed: () => missed() };
    addListener(topic, mine);
    return () => removeListener(topic, mine);
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
  const { io } = await retryUntilLoaded(() => import('socket.io-client'));
  if (ending.aborted) return;
  const opened: LiveSocket = io({
    path: '/api/live',
    transports: ['websocket'],
    reconnectionDelayMax: 10_000,
  });
  socket = opened;
  let connected = false;
  opened.on('connect', () => {
    if (connected) scheduleVersionCheck();
    connected = true;
    for (const [topic, subscription] of subscriptions) void subscribe(topic, subscription);
  });
  opened.on('events', handleBatch);
  opened.on('gap', notifyMissed);
  reconnectWhenMoved(opened);
  reconnectAfterSleep(opened, ending);
  opened.on('typing', (writing) => {
    if (subscriptions.has(writing.topic)) handleTypingEvent(writing);
  });
  setTypingTransport((topic, going) => opened.volatile.emit('typing', topic, going));
  opened.on('connect_error', (error) => {
    if (error.message === 'signed-out') markSessionEnded(client);
  });
  opened.on('disconnect', (reason) => {
    clearTypingCounts();
    // The server closes a socket whose session ended, and also when it restarts: ask which it was.
    if (reason !== 'io server disconnect') return;
    void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    setTimeout(() => !ending.aborted && opened.connect(), 500 + Math.random() * 1500);
  });
}

/** Each browser at a moment of its own, so that the other nodes are not met by all at once. */
function reconnectWhenMoved(opened: LiveSocket): void {
  let moving: number | undefined;
  opened.on('reconnect', ({ withinMs }) => {
    moving = window.setTimeout(() => opened.disconnect().connect(), Math.random() * withinMs);
  });
  opened.on('disconnect', () => window.clearTimeout(moving));
}

/**
 * After sleep, or in another network, a connection may be dead without anybody having noticed, and the next try far off:
 * who looks at the page again gets a new one at once.
 */
function reconnectAfterSleep(opened: LiveSocket, signal: AbortSignal): void {
  let lastMessageAt = Date.now();
  const heard = () => (lastMessageAt = Date.now());
  opened.io.on('ping', heard);
  opened.on('connect', heard);
  const look = () => {
    if (document.visibilityState === 'hidden') return;
    if (!opened.connected || Date.now() - lastMessageAt > maxSilenceMs) opened.disconnect().connect();
  };
  window.addEventListener('online', look, { signal });
  document.addEventListener('visibilitychange', look, { signal });
}

function addListener(topic: Topic, listener: LiveListener): void {
  const existing = subscriptions.get(topic);
  if (existing !== undefined) {
    existing.listeners.add(listener);
    return;
  }
  const subscription: Subscription = { since: getSafePosition(), listeners: new Set([listener]) };
  subscriptions.set(topic, subscription);
  void subscribe(topic, subscription);
}

function removeListener(topic: Topic, listener: LiveListener): void {
  const subscription = subscriptions.get(topic);
  subscription?.listeners.delete(listener);
  if (subscription === undefined || subscription.listeners.size > 0) return;
  subscriptions.delete(topic);
  clearTypingCounts(topic);
  socket?.emit('unsubscribe', topic);
}

async function subscribe(topic: Topic, subscription: Subscription): Promise<void> {
  if (socket === undefined || !socket.connected || subscriptions.get(topic) !== subscription) return;
  const wanted = { topic, since: subscription.since ?? '' };
  const answer: SubscribeResult | null = await socket
    .timeout(10_000)
    .emitWithAck('subscribe', wanted)
    .catch(() => null);
  if (subscriptions.get(topic) !== subscription) return;
  if (answer === null || (!answer.ok && answer.reason === 'unavailable')) {
    setTimeout(() => void subscribe(topic, subscription), resubscribeDelayMs);
    return;
  }
  if (!answer.ok) return;
  recordPosition(answer.position);
  resendTyping(topic);
  // Without a position before, the page shows what was kept: what happened since then is not known.
  const unknown = subscription.since === undefined;
  subscription.since = answer.position;
  if (answer.gap || unknown) for (const listener of subscription.listeners) listener.onMissed();
  else deliver(subscription, answer.events);
}

function handleBatch({ topic, events, position }: EventBatch): void {
  recordPosition(position);
  const subscription = subscriptions.get(topic);
  if (subscription === undefined) return;
  subscription.since = position;
  deliver(subscription, events);
}

function notifyMissed(position: Position): void {
  recordPosition(position);
  for (const subscription of subscriptions.values()) {
    subscription.since = position;
    for (const listener of subscription.listeners) listener.onMissed();
  }
}

function deliver({ listeners }: Subscription, events: readonly LiveEvent[]): void {
  if (events.length === 0) return;
  for (const listener of listeners) listener.onEvents(events);
}
