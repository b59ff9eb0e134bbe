import { sql } from 'kysely';
import { type Database, transaction } from '#server/core/database.ts';
import { eventually } from './eventually.ts';

/** Adds triggers to tables of a test's database. */
export async function preparePausedInserts<Table extends string>(db: Database, tables: readonly Table[]) {
  const keyOf = (table: Table) => 430_011 + tables.indexOf(table);
  await sql`
    create function pause_insert() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(tg_argv[0]::bigint);
      return new;
    end $$`.execute(db);
  for (const table of tables)
    await sql`
      create trigger pause_insert before insert on ${sql.table(table)}
      for each row execute function pause_insert(${sql.lit(keyOf(table))})`.execute(db);
  return { whilePaused, untilPaused };

  /** Runs `work` while inserts into a table wait. Return promises in an array, so that they are not awaited. */
  async function whilePaused<Result>(table: Table, work: () => Promise<Result>): Promise<Result> {
    return transaction(db, async (tx) => {
      await sql`select pg_advisory_xact_lock(${keyOf(table)})`.execute(tx);
      return work();
    });
  }

  /** Waits until an insert into the table waits. */
  async function untilPaused(table: Table): Promise<void> {
    await eventually(async () => {
      const { rows } = await sql`
        select from pg_locks
        where locktype = 'advisory' and objid = ${keyOf(table)} and not granted
          and database = (select oid from pg_database where datname = current_database())`.execute(db);
      return rows.length > 0;
    });
  }
}

/** Whether a transaction waits for the lock of a member. */
export async function isWaitingForMember(db: Database): Promise<boolean> {
  const { rows } = await sql`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query ~ 'from member.*for (no key )?update'`.execute(
    db,
  );
  return rows.length > 0;
}
