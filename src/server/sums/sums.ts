import { sql } from 'kysely';
import { type Database, transaction, type Tx } from '#server/platform/database.ts';
import type { JobKind } from '#server/platform/jobs/jobs.ts';
import {
  addMemberChanges,
  addTopicChanges,
  lockSums,
  markSummed,
  recountMembers,
  recountTopics,
  unsummed,
} from './queries.ts';

/** Changes that are added in one transaction. */
const changesAtOnce = 5_000;

/** Members and topics whose sums are made in one transaction; the largest topic alone may have half of everything. */
const countedAtOnce = { member: 200, tag: 20 } as const;

/** A job ends after so long, in milliseconds; the next minute's goes on. */
const patience = 50_000;

/** Adds what changed to the sums of members and topics, and makes the sums that are still to be made. */
export function sumsJob(db: Database): JobKind {
  return {
    name: 'sums',
    retries: { limit: 0, seconds: 1, most: 1 },
    seconds: 300,
    atOnce: 1,
    everyMinute: true,
    work: () => keepSums(db, Date.now() + patience),
  };
}

/** @param until in milliseconds since 1970; nothing is begun later */
export async function keepSums(db: Database, until: number): Promise<void> {
  for (const step of [addSome(addMemberChanges), addSome(addTopicChanges), sumSome('tag'), sumSome('member')])
    while (Date.now() < until && (await step(db)));
}

/** Returns whether there may be more to do. */
type Step = (db: Database) => Promise<boolean>;

function addSome(add: (tx: Tx, limit: number) => Promise<number>): Step {
  return (db) =>
    transaction(db, async (tx) => {
      await lockSums.execute(tx);
      return (await add(tx, changesAtOnce)) === changesAtOnce;
    });
}

function sumSome(table: 'member' | 'tag'): Step {
  return async (db) => {
    const ids = await unsummed(db, table, countedAtOnce[table]);
    if (ids.length === 0) return false;
    const recount = table === 'member' ? recountMembers : recountTopics;
    await transaction(db, async (tx) => {
      // What a large topic or member has takes longer to count than any request may take.
      await sql`set local statement_timeout = 0`.execute(tx);
      await lockSums.execute(tx);
      await recount(sql`select unnest(${ids}::bigint[])`).execute(tx);
      await markSummed(tx, table, ids);
    });
    return true;
  };
}
