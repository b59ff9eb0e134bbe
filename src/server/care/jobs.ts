import { type Database, type Tx, transaction } from '#server/platform/database.ts';
import { publish } from '#server/platform/events.ts';
import type { JobKind, Jobs } from '#server/platform/jobs/jobs.ts';
import { insertLog } from './log-queries.ts';
import { deletePutAway, duePurges, lockPutAway, type PutAwayRow } from './put-away-queries.ts';
import { workOnUndoings } from './undoing.ts';

const name = 'care';

/** A round of work at most, in seconds; what is left is the next round's, a minute later. */
const round = 240;

/** Posts that are purged in one round. */
const purgesARound = 200;

/** Goes on with undoings, and ends what was deleted long ago. */
export function careJob(db: Database): JobKind {
  return {
    name,
    retries: { limit: 0, seconds: 1, most: 1 },
    seconds: round + 60,
    atOnce: 1,
    everyMinute: true,
    async work() {
      await workOnUndoings(db, Date.now() + round * 1_000);
      await purge(db);
    },
  };
}

/** Has the work begin now; where a round is running, it is seen to by the next. */
export function workSoon(tx: Tx, jobs: Jobs): Promise<void> {
  return jobs.add(tx, name, { key: name, data: {} });
}

/** What operators deleted is gone for good after 30 days. */
export async function purge(db: Database): Promise<void> {
  for (const row of await duePurges(db, purgesARound)) await transaction(db, (tx) => purgeOne(tx, row));
}

async function purgeOne(tx: Tx, row: PutAwayRow): Promise<void> {
  // Somebody has brought it back meanwhile.
  if (!(await lockPutAway(tx, row.id))) return;
  await deletePutAway(tx, row.id);
  await insertLog(tx, {
    operatorId: null,
    action: 'purge',
    reason: row.reason,
    post: { kind: row.post_kind, id: row.post_id, questionId: row.question_id },
    memberId: row.author_id,
    before: {},
  });
  await publish(tx, 'care', { kind: 'care-changed' });
}
