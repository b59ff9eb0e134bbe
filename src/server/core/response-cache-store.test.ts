import { afterEach, expect, test, vi } from 'vitest';
import type { TopicEvent } from './events.ts';
import { EventCache, type CacheEntry } from './response-cache-store.ts';

afterEach(() => void vi.useRealTimers());

const viewed: TopicEvent = { topic: 'question:1', event: { kind: 'viewed', views: 1 } };

test('does not extend the lifetime of an entry that an event updates', async () => {
  type Value = CacheEntry & { eventCount: number };
  const cache = new EventCache<Value>(1_000, {
    update: (value) => ({ ...value, eventCount: value.eventCount + 1 }),
  });
  const make = async (): Promise<Value> => ({
    bytes: 1,
    topics: ['question:1'],
    isStaleBy: () => true,
    eventCount: 0,
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const pass = (seconds: number) => {
    now += seconds * 1_000;
    vi.advanceTimersByTime(seconds * 1_000);
  };
  await cache.getOrCreate('page', ['question:1'], make);
  for (let minute = 1; minute <= 9; minute++) {
    pass(60);
    cache.applyEvents([viewed]);
    expect(cache.find('page')?.eventCount).toBe(minute);
  }
  pass(90);
  expect(cache.find('page')).toBeUndefined();
});
