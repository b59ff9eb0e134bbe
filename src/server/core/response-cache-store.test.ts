import { afterEach, expect, test, vi } from 'vitest';
import type { TopicEvent } from './events.ts';
import { EventCache, type CacheEntry } from './response-cache-store.ts';

afterEach(() => void vi.useRealTimers());

const viewed: TopicEvent = { topic: 'question:1', event: { kind: 'viewed', views: 1 } };

test('what takes in news is kept no longer for it', async () => {
  type Value = CacheEntry & { news: number };
  const keep = new EventCache<Value>(1_000, { update: (value) => ({ ...value, news: value.news + 1 }) });
  const make = async (): Promise<Value> => ({
    bytes: 1,
    topics: ['question:1'],
    isStaleBy: () => true,
    news: 0,
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const pass = (seconds: number) => {
    now += seconds * 1_000;
    vi.advanceTimersByTime(seconds * 1_000);
  };
  await keep.getOrCreate('page', ['question:1'], make);
  for (let minute = 1; minute <= 9; minute++) {
    pass(60);
    keep.applyEvents([viewed]);
    expect(keep.find('page')?.news).toBe(minute);
  }
  pass(90);
  expect(keep.find('page')).toBeUndefined();
});
