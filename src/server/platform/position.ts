import type { Position } from '#shared/events.ts';

/**
 * A moment of the stream of events: which transactions had ended, when that was by the database's clock (seconds since
 * 1970), and how far the write-ahead log had come. Moments of different timelines cannot be compared: the database
 * became another one (a replica took over, a backup was restored).
 */
export type Moment = Readonly<{
  timeline: number;
  seconds: number;
  /** Such as '0/1A2B3C4'. */
  wal: string;
  /** Transactions from this one on had not ended. */
  xmax: number;
  /** Those before it that had not ended either. */
  running: readonly number[];
}>;

/** `snapshot` as PostgreSQL writes a `pg_snapshot`: xmin:xmax:running,… */
export type PositionParts = { timeline: number; seconds: number; wal: string; snapshot: string };

/** Longer ones come of thousands of running transactions; who sends one back hears everything anew. */
const longest = 2_000;

const form =
  /^(\d{1,10})\.(\d{1,11})\.([0-9A-F]{1,8}\/[0-9A-F]{1,8})\.\d{1,16}:(\d{1,16}):((?:\d{1,16}(?:,\d{1,16})*)?)$/;

export function positionOf({ timeline, seconds, wal, snapshot }: PositionParts): Position {
  return `${timeline}.${seconds}.${wal}.${snapshot}`;
}

/** Null for what is no position; anybody can send anything. */
export function readPosition(text: string): Moment | null {
  if (text.length > longest) return null;
  const match = form.exec(text);
  if (match === null) return null;
  const [, timeline, seconds, wal = '', xmax, running = ''] = match;
  return {
    timeline: Number(timeline),
    seconds: Number(seconds),
    wal,
    xmax: Number(xmax),
    running: running === '' ? [] : running.split(',').map(Number),
  };
}

/** How far the write-ahead log had come at a position, such as '0/1A2B3C4'; null for what is no position. */
export function walOf(position: string): string | null {
  return readPosition(position)?.wal ?? null;
}

/** Whether the transaction had ended at that moment. */
export function hadEnded({ xmax, running }: Moment, transactionId: number): boolean {
  return transactionId < xmax && !running.includes(transactionId);
}

/** Whether all that had ended at `earlier` had ended at `later` as well. */
export function covers(later: Moment, earlier: Moment): boolean {
  if (later.timeline !== earlier.timeline || later.xmax < earlier.xmax) return false;
  return later.running.every((id) => !hadEnded(earlier, id));
}
