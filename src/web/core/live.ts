import { useEffect, useEffectEvent } from 'react';
import type { EventOn, LiveEvent, Position, Topic } from '#shared/core/events.ts';
import { getSafePosition } from './live-position.ts';

/** A listener for live events. `onMissed`: some events are lost, so refetch everything. */
export type LiveListener<Event = LiveEvent> = {
  onEvents: (events: readonly Event[]) => void;
  onMissed: () => void;
};

/** `since`: its listeners have received all events up to here. `isConfirmed`: by the server, on this connection. */
export type Subscription = {
  since: Position | undefined;
  isConfirmed?: boolean;
  listeners: Set<LiveListener>;
};

/** What the live connection (live-connection.ts) does with subscriptions. It is loaded after the page handles input. */
type LiveTransport = {
  subscribe: (topic: Topic, subscription: Subscription) => void;
  unsubscribe: (topic: Topic) => void;
};

/** By topic. A new connection subscribes to all of them. */
export const subscriptions = new Map<Topic, Subscription>();
let transport: LiveTransport | undefined;

/** Sets the live connection; undefined when it is closed. */
export function setLiveTransport(next: LiveTransport | undefined): void {
  transport = next;
}

/** Listens to a topic while the component is mounted. */
export function useLive<T extends Topic>(topic: T, listener: LiveListener<EventOn<T>>): void {
  // A topic carries only its own events.
  const handleEvents = useEffectEvent((events: readonly LiveEvent[]) =>
    listener.onEvents(events as EventOn<T>[]),
  );
  const missed = useEffectEvent(() => listener.onMissed());
  useEffect(() => {
    const liveListener: LiveListener = {
      onEvents: (events) => handleEvents(events),
      onMissed: () => missed(),
    };
    addListener(topic, liveListener);
    return () => removeListener(topic, liveListener);
  }, [topic]);
}

function addListener(topic: Topic, listener: LiveListener): void {
  const existing = subscriptions.get(topic);
  if (existing !== undefined) {
    existing.listeners.add(listener);
    return;
  }
  const subscription: Subscription = { since: getSafePosition(), listeners: new Set([listener]) };
  subscriptions.set(topic, subscription);
  transport?.subscribe(topic, subscription);
}

function removeListener(topic: Topic, listener: LiveListener): void {
  const subscription = subscriptions.get(topic);
  subscription?.listeners.delete(listener);
  if (subscription === undefined || subscription.listeners.size > 0) return;
  subscriptions.delete(topic);
  transport?.unsubscribe(topic);
}
