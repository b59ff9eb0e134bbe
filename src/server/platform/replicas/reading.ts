import { createMiddleware } from 'hono/factory';
import type { Database } from '#server/platform/database.ts';
import { classOf } from '#server/platform/floods.ts';
import type { SignedInEnv, VisitorEnv } from '#server/platform/http.ts';
import { walOf } from '#server/platform/position.ts';
import { type Position, seenHeader } from '#shared/events.ts';
import { type Lsn, parseLsn } from './lsn.ts';
import type { Replicas } from './replicas.ts';

export type ReadingDeps = {
  db: Database;
  /** The same database on connections for searches alone. */
  searching: Database;
  replicas: Replicas | undefined;
  /** Where this node's stream of events is. */
  position: (() => Position) | undefined;
};

/**
 * Up to which position of the stream of events the replica that was chosen shows everything: the browser is told that one,
 * because it listens from there on. Null where none is known, absent where the primary was read.
 */
export type ShownEnv = { Variables: { shown?: Position | null } };

/** Chooses where each GET reads from; everything else works on the primary. */
export function chooseReading({ db, searching, replicas, position }: ReadingDeps) {
  const positions = position === undefined ? undefined : recentPositions(position);
  return createMiddleware<{ Variables: SignedInEnv['Variables'] & ShownEnv['Variables'] }>(
    async (c, next) => {
      const isSearch = classOf(c.req.method, c.req.path) === 'searching';
      if (replicas === undefined || !onlyReads(c.req.method)) {
        c.set('reading', isSearch ? searching : db);
        return next();
      }
      const seen = parseLsn(walOf(c.req.header(seenHeader) ?? ''));
      const chosen = await replicas.choose(c.get('viewer').id, seen);
      const { replayed } = chosen;
      c.set('reading', isSearch ? chosen.searching : chosen.reading);
      if (replayed !== null) c.set('shown', positions?.newestIn(replayed) ?? null);
      return next();
    },
  );
}

/** The member is known once the request has been answered, if at all. */
type WriterEnv = { Variables: VisitorEnv['Variables'] & Partial<SignedInEnv['Variables']> };

/** Notes for every member who wrote that they did, before they hear that it is done. */
export function noteWriters(replicas: Replicas | undefined) {
  return createMiddleware<WriterEnv>(async (c, next) => {
    await next();
    if (replicas === undefined || onlyReads(c.req.method)) return;
    const memberId = c.get('viewer')?.id ?? c.get('registered');
    // What was refused has written nothing.
    const refused = c.res.status >= 400 && c.res.status < 500;
    if (memberId !== undefined && !refused) await replicas.noteWritten(memberId);
  });
}

const onlyReads = (method: string) => method === 'GET' || method === 'HEAD';

/** As many positions, of as many milliseconds: what lies behind the slowest replica that still serves. */
const kept = 100;
const apart = 50;

/** Remembers where the stream of events was a moment ago. */
function recentPositions(position: () => Position) {
  const known: { position: Position; wal: Lsn; at: number }[] = [];
  return {
    /** The newest position all of which lies before a place in the log; undefined where none is known. */
    newestIn(replayed: Lsn): Position | undefined {
      note();
      return known.findLast((each) => each.wal <= replayed)?.position;
    },
  };

  function note(): void {
    const now = performance.now();
    const last = known.at(-1);
    if (last !== undefined && now - last.at < apart) return;
    const current = position();
    const wal = parseLsn(walOf(current));
    if (wal === null || current === last?.position) return;
    known.push({ position: current, wal, at: now });
    if (known.length > kept) known.shift();
  }
}
