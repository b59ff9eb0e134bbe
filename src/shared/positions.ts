import type { Position } from './events.ts';

/**
 * The later of two positions in the stream of events, by how far the database's log had come (positions begin with
 * timeline, seconds and place in the log). Of different timelines the higher one: the database has moved on to it.
 */
export function getLaterPosition(one: Position, other: Position): Position {
  const [a, b] = [parsePosition(one), parsePosition(other)];
  if (a === null || b === null) return a === null ? other : one;
  if (a.timeline !== b.timeline) return a.timeline > b.timeline ? one : other;
  return a.place >= b.place ? one : other;
}

function parsePosition(position: Position): { timeline: number; place: bigint } | null {
  const parts = /^(\d{1,10})\.\d{1,11}\.([\dA-F]{1,8})\/([\dA-F]{1,8})\./.exec(position);
  if (parts === null) return null;
  const [, timeline, high, low] = parts;
  return { timeline: Number(timeline), place: (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`) };
}
