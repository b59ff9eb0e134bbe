import { expect, onTestFinished, test } from 'vitest';
import type { LiveEvent, Topic } from '#shared/core/events.ts';
import { type Subscription, subscriptions } from './live.ts';
import { advanceSubscriptions, confirmSubscription, handleBatch, notifyMissed } from './live-delivery.ts';

const position = (place: number) => `1.1800000000.0/${place}.700:700:`;
const topic: Topic = 'question:7';
const voted: LiveEvent = { kind: 'voted', post: 'question', id: 7, upvotes: 1, downvotes: 0 };

/** A subscription that counts what its listener receives. */
function openSubscription() {
  const received = { events: 0, missed: 0 };
  const listener = {
    onEvents: (events: readonly LiveEvent[]) => void (received.events += events.length),
    onMissed: () => void received.missed++,
  };
  const subscription: Subscription = { since: position(10), listeners: new Set([listener]) };
  subscriptions.set(topic, subscription);
  onTestFinished(() => void subscriptions.delete(topic));
  return { subscription, received };
}

test('a batch before the confirmation is delivered, and the next try still asks for what came before it', () => {
  const { subscription, received } = openSubscription();
  handleBatch({ topic, events: [voted], position: position(30) });
  expect([subscription.since, received]).toEqual([position(10), { events: 1, missed: 0 }]);
});

test('a confirmed subscription continues from its last batch', () => {
  const { subscription, received } = openSubscription();
  confirmSubscription(subscription, { ok: true, events: [voted, voted], gap: false, position: position(20) });
  expect(subscription.since).toBe(position(20));
  handleBatch({ topic, events: [voted], position: position(30) });
  expect([subscription.since, received]).toEqual([position(30), { events: 3, missed: 0 }]);
});

test('a confirmed subscription without events continues from the position that the server announces', () => {
  const { subscription, received } = openSubscription();
  advanceSubscriptions(position(15));
  expect(subscription.since).toBe(position(10));
  confirmSubscription(subscription, { ok: true, events: [], gap: false, position: position(20) });
  advanceSubscriptions(position(50));
  expect([subscription.since, received]).toEqual([position(50), { events: 0, missed: 0 }]);
});

test('a gap fetches everything again and continues from its position', () => {
  const { subscription, received } = openSubscription();
  confirmSubscription(subscription, { ok: true, events: [], gap: true, position: position(20) });
  notifyMissed(position(40));
  expect([subscription.since, received]).toEqual([position(40), { events: 0, missed: 2 }]);
});
