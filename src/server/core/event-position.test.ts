import { expect, test } from 'vitest';
import { formatPosition, parsePosition, parseWalPosition, type StreamSnapshot } from './event-position.ts';

const snapshot = (transactions: number): StreamSnapshot => ({
  timeline: 1,
  seconds: 1_795_700_000,
  wal: '0/1A2B3C4',
  xmax: 9_000_000,
  running: Array.from({ length: transactions }, (_, index) => 8_000_000 + index),
  lastEvent: 5_000_000,
});

test('a position with hundreds of running transactions stays short, and starts everything again', () => {
  const position = formatPosition(snapshot(1_000));
  // A subscription with a longer one is refused (live.ts).
  expect(position.length).toBeLessThanOrEqual(2_000);
  expect(parsePosition(position)).toBeNull();
  // Reads from replicas still wait for it.
  expect(parseWalPosition(position)).toBe('0/1A2B3C4');
  expect(parsePosition(formatPosition(snapshot(100)))).toEqual(snapshot(100));
});
