import type { Position } from '#shared/core/events.ts';

/**
 * A snapshot of the event stream. It determines for every event whether its transaction had ended. Snapshots of
 * different timelines cannot be compared: the database was replaced (a replica was promoted or a backup restored).
 */
export type StreamSnapshot = Readonly<{
  timeline: number;
  /** Seconds since 1970 by the database clock. */
  seconds: number;
  /** The position in the write-ahead log, such as '0/1A2B3C4'. */
  wal: string;
  /** Transactions from this id on had not ended. */
  xmax: number;
  /**
   * Transactions before `xmax` that were still running: the oldest one, and those that may have appended an event
   * (event-snapshots.ts).
   */
  running: readonly number[];
  /** The highest event id assigned so far. */
  lastEvent: number;
}>;

/** The columns of an event that determine its position in the stream. */
export type EventPosition = { id: number; transactionId: number };

/**
 * Longer positions come from hundreds of events that are being committed at the same time. Clients get their beginning,
 * and one that sends it back fetches everything again.
 */
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
  const start = `${timeline}.${seconds}.${wal}.`;
  const before = running.map((id) => xmax - id);
  const position = `${start}${xmax}.${lastEvent}.${before.join(',')}`;
  return position.length > maxPositionLength ? start : position;
}

/**
 * Parses a position. Returns null for anything invalid, including positions of earlier versions, because clients can
 * send anything.
 */
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
 * The write-ahead log position within a stream position, such as '0/1A2B3C4', also of one that is too long for
 * `parsePosition`. Null if the text is not a position.
 */
export function parseWalPosition(position: string): string | null {
  return prefix.exec(position)?.[3] ?? null;
}

/** Whether an event that is committed now was already committed at that snapshot. */
export function includesEvent(
  { xmax, running, lastEvent }: StreamSnapshot,
  { id, transactionId }: EventPosition,
): boolean {
  return transactionId < xmax && id <= lastEvent && !running.includes(transactionId);
}

/**
 * Whether `later` includes everything that `earlier` includes. `xmax` only grows, so the snapshot with the higher one
 * is the later. With equal `xmax` the result may be a false negative.
 */
export function coversSnapshot(later: StreamSnapshot, earlier: StreamSnapshot): boolean {
  if (later.timeline !== earlier.timeline || later.xmax !== earlier.xmax)
    return later.timeline === earlier.timeline && later.xmax > earlier.xmax;
  return later.lastEvent >= earlier.lastEvent && later.running.every((id) => earlier.running.includes(id));
}
