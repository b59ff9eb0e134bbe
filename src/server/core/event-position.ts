import type { Position } from '#shared/core/events.ts';

/**
 * A moment of the stream of events, which says of every event whether it had been committed: its transaction had ended.
 * Moments of different timelines cannot be compared: the database became another one (a replica took over, a backup was
 * restored).
 */
export type StreamSnapshot = Readonly<{
  timeline: number;
  /** By the database's clock, since 1970. */
  seconds: number;
  /** How far the write-ahead log had come, such as '0/1A2B3C4'. */
  wal: string;
  /** Transactions from this one on had not ended. */
  xmax: number;
  /** Transactions before `xmax` that had not ended, but for those that had not appended any event (publishers.ts). */
  running: readonly number[];
  /** The highest id that an event had been given. */
  lastEvent: number;
}>;

/** What the table keeps of an event's place in the stream. */
export type EventPosition = { id: number; transactionId: number };

/** Longer ones come of hundreds of events that are being committed; who sends one back hears everything anew. */
const maxPositionLength = 2_000;

const prefix = /^(\d{1,10})\.(\d{1,11})\.([0-9A-F]{1,8}\/[0-9A-F]{1,8})\./;
const rest = /^(\d{1,16})\.(\d{1,16})\.((?:\d{1,16}(?:,\d{1,16})*)?)$/;

export function formatPosition({
  timeline,
  seconds,
  wal,
  xmax,
  running,
  lastEvent,
}: StreamSnapshot): Position {
  const before = running.map((id) => xmax - id);
  return `${timeline}.${seconds}.${wal}.${xmax}.${lastEvent}.${before.join(',')}`;
}

/** Null for what is no position, also of an earlier version's form; anybody can send anything. */
export function parsePosition(text: string): StreamSnapshot | null {
  if (text.length > maxPositionLength) return null;
  const start = prefix.exec(text);
  const end = start && rest.exec(text.slice(start[0].length));
  if (!start || !end) return null;
  const [, timeline, seconds, wal = ''] = start;
  const [, xmax, lastEvent, before = ''] = end;
  return {
    timeline: Number(timeline),
    seconds: Number(seconds),
    wal,
    xmax: Number(xmax),
    running: before === '' ? [] : before.split(',').map((each) => Number(xmax) - Number(each)),
    lastEvent: Number(lastEvent),
  };
}

/**
 * How far the write-ahead log had come at a position, such as '0/1A2B3C4', also at one of an earlier version's form; null
 * for what is no position.
 */
export function parseWalPosition(position: string): string | null {
  return prefix.exec(position)?.[3] ?? null;
}

/** Whether an event that is committed by now was committed at that moment. */
export function includesEvent(
  { xmax, running, lastEvent }: StreamSnapshot,
  { id, transactionId }: EventPosition,
): boolean {
  return transactionId < xmax && id <= lastEvent && !running.includes(transactionId);
}

/**
 * Whether all that had happened at `earlier` had happened at `later` as well. `xmax` only grows, with what has ended; so
 * the higher one is surely the later. Where both have the same, it may be false though it is so.
 */
export function coversSnapshot(later: StreamSnapshot, earlier: StreamSnapshot): boolean {
  if (later.timeline !== earlier.timeline || later.xmax !== earlier.xmax)
    return later.timeline === earlier.timeline && later.xmax > earlier.xmax;
  return later.lastEvent >= earlier.lastEvent && later.running.every((id) => earlier.running.includes(id));
}
