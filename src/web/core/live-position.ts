import { getLaterPosition, type Position, positionHeader } from '#shared/core/events.ts';

/**
 * Up to where in the stream of events the server's answers are surely right. Who opens a page listens from a little
 * before it was read: hearing twice changes nothing, missing would.
 */
const marginMs = 30_000;

/** Positions as they became known, oldest first; those older than the margin but for the last are dropped. */
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

/** The newest position that was told here: no page may show less than what happened up to it. */
export function getNewestPosition(): Position | undefined {
  return newest;
}

/** A position at least as old as what a page shows that was read within the margin; undefined before any answer. */
export function getSafePosition(): Position | undefined {
  const border = Date.now() - marginMs;
  const old = recordedPositions.findLastIndex((each) => each.at <= border);
  // Not always the one that was told first: an answer of a streaming replica tells of a little earlier.
  return recordedPositions
    .slice(Math.max(0, old))
    .map((each) => each.position)
    .reduce<Position | undefined>(
      (first, each) => (first === undefined || getLaterPosition(first, each) === first ? each : first),
      undefined,
    );
}
