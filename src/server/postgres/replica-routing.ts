import type { PublicEnv, ReplicaPositionEnv, VisitorEnv } from '#server/core/http.ts';
import { createMiddleware } from 'hono/factory';
import type { Database } from '#server/core/database.ts';
import { classifyRequest } from '#server/core/request-limits.ts';
import { parseWalPosition } from '#server/core/event-position.ts';
import { minPositionHeader, type Position } from '#shared/core/events.ts';
import { type Lsn, parseLsn } from './lsn.ts';
import type { Replicas } from './replicas.ts';

export type ReadRoutingDeps = {
  db: Database;
  /** The same database with separate connections for searches. */
  searchDb: Database;
  replicas: Replicas | undefined;
  /** The current position of this node's event stream. */
  position: (() => Position) | undefined;
};

/** Chooses where each GET reads from. All other requests use the primary. */
export function routeReads({ db, searchDb, replicas, position }: ReadRoutingDeps) {
  const positions = position === undefined ? undefined : trackPositions(position);
  return createMiddleware<{ Variables: PublicEnv['Variables'] & ReplicaPositionEnv['Variables'] }>(
    async (c, next) => {
      const isSearch = classifyRequest(c.req.method, c.req.path) === 'searching';
      if (replicas === undefined || !isReadMethod(c.req.method)) {
        c.set('reader', isSearch ? searchDb : db);
        return next();
      }
      const seen = parseLsn(parseWalPosition(c.req.header(minPositionHeader) ?? ''));
      const chosen = await replicas.chooseReader(c.get('viewer').id, seen);
      const { replayed } = chosen;
      c.set('reader', isSearch ? chosen.searchReader : chosen.reader);
      if (replayed !== null) c.set('replicaPosition', positions?.newestWithin(replayed) ?? null);
      return next();
    },
  );
}

/** The member is known only after the request has been handled, if at all. */
type WriterEnv = { Variables: VisitorEnv['Variables'] & Partial<PublicEnv['Variables']> };

/** Records each member's write before the response is sent. */
export function recordWrites(replicas: Replicas | undefined) {
  return createMiddleware<WriterEnv>(async (c, next) => {
    await next();
    if (replicas === undefined || isReadMethod(c.req.method)) return;
    const memberId = c.get('viewer')?.id ?? c.get('registered');
    // A refused request has written nothing.
    const refused = c.res.status >= 400 && c.res.status < 500;
    if (memberId !== undefined && !refused) await replicas.recordWrite(memberId);
  });
}

const isReadMethod = (method: string) => method === 'GET' || method === 'HEAD';

/**
 * The number of positions to remember, and the milliseconds between them: together they cover the maximum lag of a
 * serving replica.
 */
const maxPositions = 100;
const intervalMs = 50;

/** Remembers recent positions of the event stream. */
function trackPositions(position: () => Position) {
  const known: { position: Position; wal: Lsn; at: number }[] = [];
  return {
    /** The newest position that a replica with this `replayed` has reached completely. Undefined if none is known. */
    newestWithin(replayed: Lsn): Position | undefined {
      note();
      return known.findLast((each) => each.wal <= replayed)?.position;
    },
  };

  function note(): void {
    const now = performance.now();
    const last = known.at(-1);
    if (last !== undefined && now - last.at < intervalMs) return;
    const current = position();
    const wal = parseLsn(parseWalPosition(current));
    if (wal === null || current === last?.position) return;
    known.push({ position: current, wal, at: now });
    if (known.length > maxPositions) known.shift();
  }
}
