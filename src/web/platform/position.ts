import { positionHeader, type Position } from '#shared/events.ts';
import { laterPosition } from '#shared/positions.ts';

/**
 * Up to where in the stream of events the server's answers are surely right. Who opens a page listens from a little
 * before it was read: hearing twice changes nothing, missing would.
 */
const margin = 30_000;

/** Positions as they became known, oldest first; those older than the margin but for the last are dropped. */
let known: { position: Position; at: number }[] = [];
let newest: Position | undefined;

export function notePosition(position: Position | null): void {
  if (position === null || position === known.at(-1)?.position) return;
  newest = newest === undefined ? position : laterPosition(newest, position);
  const now = Date.now();
  known.push({ position, at: now });
  const fresh = known.findIndex((each) => each.at > now - margin);
  if (fresh > 1) known = known.slice(fresh - 1);
}

export function notePositionOf(response: Response): void {
  notePosition(response.headers.get(positionHeader));
}

/** The newest position that was told here: no page may show less than what happened up to it. */
export function newestPosition(): Position | undefined {
  return newest;
}

/** A position at least as old as what a page shows that was read within the margin; undefined before any answer. */
export function safePosition(): Position | undefined {
  const border = Date.now() - margin;
  const old = known.findLastIndex((each) => each.at <= border);
  // Not always the one that was told first: an answer of a streaming replica tells of a little earlier.
  return known
    .slice(Math.max(0, old))
    .map((each) => each.position)
    .reduce<Position | undefined>(
      (first, each) => (first === undefined || laterPosition(first, each) === first ? each : first),
      undefined,
    );
}
