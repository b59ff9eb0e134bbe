import type { Logger } from 'pino';
import { decodeCursor, encodeCursor } from '#server/core/cursor.ts';
import { type Database, type Reader, transaction, type Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { hasEventReader, readNewEvents, startEventReader } from '#server/core/event-reader.ts';
import type { TopicEvent } from '#server/core/events.ts';
import { startPollingLoop } from '#server/core/polling-loop.ts';
import { getErrorCode } from '#server/core/startup-error.ts';
import { changeKinds, type ChangesQuery, changesPerPage } from '#shared/integrations/changes.ts';
import { changeEventKinds, findChangeTargets } from './changes-events.ts';
import {
  buildChanges,
  type ChangeRow,
  type ChangesState,
  findChangesState,
  findReaderTimeline,
  itemVersion,
  listChanges,
  lockChangesBuild,
  lockChangesState,
  recordChanges,
  saveItemVersion,
} from './changes-queries.ts';

const readerName = 'changes';

export type ChangesRecorder = {
  /** Events were committed that may have changed something public. */
  onEvents: (events: readonly TopicEvent[]) => void;
  stop: () => Promise<void>;
};

/** Many votes on one post within this time are one change. */
const coalesceMs = 500;

/** Records on this node what has changed in public. One node at a time does. */
export function startChangesRecorder({
  db,
  log,
  pollMs = 5_000,
}: {
  db: Database;
  log: Logger;
  pollMs?: number;
}): ChangesRecorder {
  let timer: NodeJS.Timeout | undefined;
  const loop = startPollingLoop({
    run: () => recordNewChanges(db),
    pollMs,
    onError: (error) =>
      log.warn(`The list of public changes waits for the database (${getErrorCode(error) ?? 'unknown'}).`),
  });
  return {
    onEvents(events) {
      if (timer !== undefined || !events.some(({ event }) => recordedKinds.has(event.kind))) return;
      timer = setTimeout(() => {
        timer = undefined;
        loop.wake();
      }, coalesceMs);
    },
    async stop() {
      clearTimeout(timer);
      await loop.stop();
    },
  };
}

const recordedKinds: ReadonlySet<string> = new Set(changeEventKinds);

/**
 * Gives positions to what has changed since the last call, on whichever node. Events are read in the order in which they
 * became visible, and positions are assigned by one transaction at a time, so that a position that a reader has seen is
 * never followed by a lower one (docs/decisions/042, 113). Builds the list if there is none.
 */
export async function recordNewChanges(db: Database): Promise<void> {
  const record = async (tx: Tx) => {
    const events = await readNewEvents(tx, { name: readerName, kinds: changeEventKinds });
    if (events === null) return startReading(tx);
    if (events.length === 0 && !lacksFields(await findChangesState(tx))) return;
    const state = await lockChangesState(tx);
    const timeline = await findReaderTimeline(tx, readerName);
    if (state?.timeline !== timeline) return buildChanges(tx, timeline ?? 0);
    const targets = findChangeTargets(events);
    if (!lacksFields(state)) return recordChanges(tx, targets);
    // A server before an upgrade recorded the items without the fields that they have now.
    await recordChanges(tx, { ...targets, all: true });
    return saveItemVersion(tx);
  };
  // A short wait for a lock would repeat all of it.
  await transaction(db, record, { lockTimeoutMs: 0 });
}

const lacksFields = (state: ChangesState | undefined) => (state?.itemVersion ?? itemVersion) < itemVersion;

async function startReading(tx: Tx): Promise<void> {
  // Otherwise another node is recording.
  if (await hasEventReader(tx, readerName)) return;
  await lockChangesBuild(tx);
  if (await hasEventReader(tx, readerName)) return;
  // First, so that what changes while the list is built is read again.
  await startEventReader(tx, readerName);
  await buildChanges(tx, (await findReaderTimeline(tx, readerName)) ?? 0);
}

/**
 * Returns the JSON of a page of changes.
 * @throws ProblemError 'invalid' for a malformed cursor; 'gone' for one of an earlier list; 'unavailable' before the list
 * was built
 */
export async function readChangesJson(
  db: Reader,
  { cursor, updatedSince, kinds = [...changeKinds] }: ChangesQuery,
): Promise<string> {
  const state = await findChangesState(db);
  if (state === undefined) throw new ProblemError('changes-not-ready', { retryAfter: 5 });
  const { epoch } = state;
  const given = decodeCursor(cursor === '' ? undefined : cursor);
  if (given !== null && given.id !== epoch) throw new ProblemError('changes-cursor-expired');
  const after = given?.after ?? toPosition(updatedSince);
  const rows = await listChanges(db, { after, kinds: [...new Set(kinds)], limit: changesPerPage + 1 });
  const page = rows.slice(0, changesPerPage);
  // A time in the future must not skip what happens until then.
  const last = page.at(-1)?.position ?? (given === null ? Math.min(after, state.lastPosition) : after);
  const changes = page.map(toJson).join(',');
  const next = JSON.stringify(encodeCursor({ after: last, id: epoch }));
  return `{"changes":[${changes}],"cursor":${next},"hasMore":${rows.length > page.length}}`;
}

const toJson = ({ kind, id, item }: ChangeRow) => `{"kind":"${kind}","id":${id},"item":${item ?? 'null'}}`;

/** The position just before a time. */
const toPosition = (time: string | undefined) => (time === undefined ? 0 : Date.parse(time) * 1000 - 1);
