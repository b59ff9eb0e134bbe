import type { EventBatch, LiveEvent, Position, SubscribeResult } from '#shared/core/events.ts';
import { type Subscription, subscriptions } from './live.ts';
import { recordPosition } from './live-position.ts';

/** Handles the confirmation of a subscription, which has the events that it missed. */
export function confirmSubscription(
  subscription: Subscription,
  { events, gap, position }: Extract<SubscribeResult, { ok: true }>,
): void {
  recordPosition(position);
  // Without an earlier position the page shows data from the offline cache, and the events since then are unknown.
  const unknown = subscription.since === undefined;
  subscription.since = position;
  subscription.isConfirmed = true;
  if (gap || unknown) for (const listener of subscription.listeners) listener.onMissed();
  else deliver(subscription, events);
}

export function handleBatch({ topic, events, position }: EventBatch): void {
  recordPosition(position);
  const subscription = subscriptions.get(topic);
  if (subscription === undefined) return;
  // If the confirmation was lost, the next try still needs the events before this batch, and repeats those of the batch.
  if (subscription.isConfirmed === true) subscription.since = position;
  deliver(subscription, events);
}

/** The server has sent all events up to this position. Topics without events continue from it as well. */
export function advanceSubscriptions(position: Position): void {
  recordPosition(position);
  for (const subscription of subscriptions.values())
    if (subscription.isConfirmed === true) subscription.since = position;
}

export function notifyMissed(position: Position): void {
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
