import { positionHeader, type Position } from '#shared/events.ts';

/**
 * Up to where in the stream of events the server's answers are surely right. Who opens a page listens from a little
 * before it was read: hearing twice changes nothing, missing would.
 */
const margin = 30_000;

/** Positions as they became known, oldest first; those older than the margin but for the last are dropped. */
let known: { position: Position; at: number }[] = [];

export function notePosition(position: Position | null): void {
  if (position === null || position === known.at(-1)?.position) return;
  const now = Date.now();
  known.push({ position, at: now });
  const fresh = known.findIndex((each) => each.at > now - margin);
  if (fresh > 1) known = known.slice(fresh - 1);
}

export function notePositionOf(response: Response): void {
  notePosition(response.headers.get(positionHeader));
}

/** A position at least as old as what a page shows that was read within the margin; undefined before any answer. */
export function safePosition(): Position | undefined {
  const border = Date.now() - margin;
  const old = known.findLast((each) => each.at <= border);
  return (old ?? known[0])?.position;
}
