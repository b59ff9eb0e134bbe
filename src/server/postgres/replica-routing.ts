import type { ReplicaPositionEnv, SignedInEnv, VisitorEnv } from '#server/core/http.ts';
import { createMiddleware } from 'hono/factory';
import type { Database } from '#server/core/database.ts';
import { classifyRequest } from '#server/core/request-limits.ts';
import { parseWalPosition } from '#server/core/event-position.ts';
import { minPositionHeader, type Position } from '#shared/core/events.ts';
import { type Lsn, parseLsn } from './lsn.ts';
import type { Replicas } from './replicas.ts';

export type ReadRoutingDeps = {
  db: Database;
  /** The same database on connections for searches alone. */
  searchDb: Database;
  replicas: Replicas | undefined;
  /** Where this node's stream of events is. */
  position: (() => Position) | undefined;
};

/** Chooses where each GET reads from; everything else works on the primary. */
export function routeReads({ db, searchDb, replicas, position }: ReadRoutingDeps) {
  const positions = position === undefined ? undefined : trackPositions(position);
  return createMiddleware<{ Variables: SignedInEnv['Variables'] & ReplicaPositionEnv['Variables'] }>(
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

/** The member is known once the request has been answered, if at all. */
type WriterEnv = { Variables: VisitorEnv['Variables'] & Partial<SignedInEnv['Variables']> };

/** Notes for every member who wrote that they did, before they hear that it is done. */
export function recordWrites(replicas: Replicas | undefined) {
  return createMiddleware<WriterEnv>(async (c, next) => {
    await next();
    if (replicas === undefined || isReadMethod(c.req.method)) return;
    const memberId = c.get('viewer')?.id ?? c.get('registered');
    // What was refused has written nothing.
    const refused = c.res.status >= 400 && c.res.status < 500;
    if (memberId !== undefined && !refused) await replicas.recordWrite(memberId);
  });
}

const isReadMethod = (method: string) => method === 'GET' || method === 'HEAD';

/** As many positions, of as many milliseconds: what lies behind the slowest replica that still serves. */
const maxPositions = 100;
const intervalMs = 50;

/** Remembers where the stream of events was a moment ago. */
function trackPositions(position: () => Position) {
  const known: { position: Position; wal: Lsn; at: number }[] = [];
  return {
    /** The newest position all of which lies before a place in the log; undefined where none is known. */
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
