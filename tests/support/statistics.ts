import { sql } from 'kysely';
import { type Database, transaction } from '#server/core/database.ts';
import {
  lockStatistics,
  rebuildMemberStatistics,
  rebuildTagStatistics,
} from '#server/discovery/statistics-queries.ts';

/** Counts the statistics of all members and tags again, after SQL that does not change them. */
export async function rebuildStatistics(db: Database): Promise<void> {
  await transaction(db, async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx);
    await lockStatistics.execute(tx);
    await rebuildMemberStatistics(sql`select id from member`).execute(tx);
    await rebuildTagStatistics(sql`select id from tag`).execute(tx);
  });
}
