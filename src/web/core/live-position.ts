import { getLaterPosition, type Position, positionHeader } from '#shared/core/events.ts';

/**
 * How far back a subscription starts, in milliseconds. A page listens from shortly before its data was read: receiving
 * an event twice is harmless, missing one is not.
 */
const marginMs = 30_000;

/** Positions in the order they were received. Those older than the margin are dropped, except for the last. */
let recordedPositions: { position: Position; at: number }[] = [];
let newest: Position | undefined;

export function recordPosition(position: Position | null): void {
  if (position === null || position === recordedPositions.at(-1)?.position) return;
  newest = newest === undefined ? position : getLaterPosition(newest, position);
  const now = Date.now();
  recordedPositions.push({ position, at: now });
  const fresh = recordedPositions.findIndex((each) => each.at > now - marginMs);
  if (fresh > 1) recordedPositions = recordedPositions.slice(fresh - 1);
}

export function recordResponsePosition(response: Response): void {
  recordPosition(response.headers.get(positionHeader));
}

/** The newest position this page has received: a later response must not be older than it. */
export function getNewestPosition(): Position | undefined {
  return newest;
}

/** A position at least as old as any data read within the margin; undefined before any response. */
export function getSafePosition(): Position | undefined {
  const border = Date.now() - marginMs;
  const old = recordedPositions.findLastIndex((each) => each.at <= border);
  // Not always the first received: a response of a streaming replica has a slightly earlier position.
  return recordedPositions
    .slice(Math.max(0, old))
    .map((each) => each.position)
    .reduce<Position | undefined>(
      (first, each) => (first === undefined || getLaterPosition(first, each) === first ? each : first),
      undefined,
    );
}
