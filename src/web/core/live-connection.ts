import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { io, type Socket } from 'socket.io-client';
import type {
  EventBatch,
  ReconnectRequest,
  Position,
  SubscribeResult,
  Topic,
  TypingPresence,
} from '#shared/core/events.ts';
import { setLiveTransport, type Subscription, subscriptions } from './live.ts';
import { advanceSubscriptions, confirmSubscription, handleBatch, notifyMissed } from './live-delivery.ts';
import { markSessionEnded, sessionQuery } from './session.ts';
import { scheduleVersionCheck } from './app-version.ts';
import { clearTypingCounts, handleTypingEvent, resendTyping, setTypingTransport } from './typing-presence.ts';

/** The delay before a failed subscription is retried, in milliseconds. */
const resubscribeDelayMs = 3_000;

/** The server pings every 25 seconds. After this many milliseconds of silence the connection is dead. */
const maxSilenceMs = 35_000;

type LiveSocket = Socket<
  {
    events: (batch: EventBatch) => void;
    gap: (position: Position) => void;
    position: (position: Position) => void;
    typing: (presence: TypingPresence) => void;
    reconnect: (request: ReconnectRequest) => void;
  },
  {
    subscribe: (request: object, ack: (result: SubscribeResult) => void) => void;
    unsubscribe: (topic: Topic) => void;
    typing: (topic: Topic, isTyping: boolean) => void;
  }
>;

let socket: LiveSocket | undefined;

/**
 * Holds a live connection for the signed-in member. After sleep, a network failure or a restart it reconnects and
 * receives the missed events from its last position.
 */
export function useLiveConnection(): void {
  const client = useQueryClient();
  useEffect(() => connect(client), [client]);
}

/** Returns a function that closes the connection. */
function connect(client: QueryClient): () => void {
  const ending = new AbortController();
  open(client, ending.signal);
  setLiveTransport({
    subscribe: (topic, subscription) => void subscribe(topic, subscription),
    unsubscribe: (topic) => {
      clearTypingCounts(topic);
      socket?.emit('unsubscribe', topic);
    },
  });
  return () => {
    ending.abort();
    setLiveTransport(undefined);
    socket?.disconnect();
    socket = undefined;
  };
}

function open(client: QueryClient, ending: AbortSignal): void {
  const opened: LiveSocket = io({
    path: '/api/live',
    transports: ['websocket'],
    reconnectionDelayMax: 10_000,
  });
  socket = opened;
  let connected = false;
  let isFirstTry = true;
  const checkSession = () => void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  opened.on('connect', () => {
    if (connected) scheduleVersionCheck();
    connected = true;
    for (const [topic, subscription] of subscriptions) void subscribe(topic, subscription);
  });
  opened.on('events', handleBatch);
  opened.on('gap', notifyMissed);
  opened.on('position', advanceSubscriptions);
  reconnectWhenMoved(opened);
  reconnectAfterSleep(opened, ending);
  opened.on('typing', (presence) => {
    if (subscriptions.has(presence.topic)) handleTypingEvent(presence);
  });
  setTypingTransport((topic, isTyping) => opened.volatile.emit('typing', topic, isTyping));
  opened.on('connect_error', (error) => {
    if (error.message === 'signed-out') markSessionEnded(client);
    // If the server does not respond either, the page says so.
    else if (isFirstTry) checkSession();
    isFirstTry = false;
    // Socket.IO retries when there is no connection, but not when the server refuses it.
    if (error.message !== 'signed-out' && !opened.active)
      setTimeout(() => !ending.aborted && opened.connect(), 2000 + Math.random() * 8000);
  });
  opened.on('disconnect', (reason) => {
    clearTypingCounts();
    // The server closes a socket when its session ends and when it restarts. The session query shows which it was, or
    // that the connection was lost.
    if (reason === 'io client disconnect') return;
    checkSession();
    if (reason !== 'io server disconnect') return;
    setTimeout(() => !ending.aborted && opened.connect(), 500 + Math.random() * 1500);
  });
}

/** Each browser reconnects at a random moment, so that the load on the other nodes is spread. */
function reconnectWhenMoved(opened: LiveSocket): void {
  let timer: number | undefined;
  opened.on('reconnect', ({ withinMs }) => {
    timer = window.setTimeout(() => opened.disconnect().connect(), Math.random() * withinMs);
  });
  opened.on('disconnect', () => window.clearTimeout(timer));
}

/**
 * After sleep or a change of network, a connection may be dead unnoticed and the next try far off. When the member
 * returns to the page, it reconnects immediately.
 */
function reconnectAfterSleep(opened: LiveSocket, signal: AbortSignal): void {
  let lastMessageAt = Date.now();
  const recordMessage = () => (lastMessageAt = Date.now());
  opened.io.on('ping', recordMessage);
  opened.on('connect', recordMessage);
  const reconnectIfDead = () => {
    if (document.visibilityState === 'hidden') return;
    if (!opened.connected || Date.now() - lastMessageAt > maxSilenceMs) opened.disconnect().connect();
  };
  window.addEventListener('online', reconnectIfDead, { signal });
  document.addEventListener('visibilitychange', reconnectIfDead, { signal });
}

async function subscribe(topic: Topic, subscription: Subscription): Promise<void> {
  if (socket === undefined || !socket.connected || subscriptions.get(topic) !== subscription) return;
  subscription.isConfirmed = false;
  const request = { topic, since: subscription.since ?? '' };
  const result: SubscribeResult | null = await socket
    .timeout(10_000)
    .emitWithAck('subscribe', request)
    .catch(() => null);
  if (subscriptions.get(topic) !== subscription) return;
  if (result === null || (!result.ok && result.reason === 'unavailable')) {
    setTimeout(() => void subscribe(topic, subscription), resubscribeDelayMs);
    return;
  }
  if (!result.ok) return;
  resendTyping(topic);
  confirmSubscription(subscription, result);
}
