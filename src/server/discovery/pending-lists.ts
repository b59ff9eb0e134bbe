import { sql } from 'kysely';
import type { ClientBase } from 'pg';
import { type Database, databaseFromClient, getSqlState, transaction } from '#server/core/database.ts';
import { isImportRunning } from '#server/core/import-lock.ts';

/** The indexes of words and of parts of words. A post has a hundred entries in them, and each is placed by itself. */
const wordIndexes = ['question_search', 'answer_search', 'search_word_trigrams', 'member_name_trigrams'];

/** Searches read the whole list, so that it is short: 256 kB are the entries of about 80 posts. */
const listLimit = '256kB';

/**
 * Adds many rows. Their words are collected in the pending lists of the search indexes and placed together, which takes
 * PostgreSQL a quarter less time for an import (docs/decisions/134-import-speed.md).
 */
export async function addWithPendingLists<Result>(
  client: ClientBase,
  add: () => Promise<Result>,
): Promise<Result> {
  const db = databaseFromClient(client);
  await sql`select set_config('gin_pending_list_limit', ${listLimit}, false)`.execute(db);
  for (const index of wordIndexes) await setList(db, index, 'on');
  try {
    return await add();
  } finally {
    // If the connection is lost, the server does it later.
    await endPendingLists(db).catch(() => {});
    await sql`reset gin_pending_list_limit`.execute(db).catch(() => {});
  }
}

/** Ends the pending lists that an interrupted import has left, unless an import runs. */
export async function endLeftPendingLists(db: Database): Promise<void> {
  if (!(await isImportRunning(db))) await endPendingLists(db);
}

async function endPendingLists(db: Database): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where oid = any(${wordIndexes}::regclass[]) and 'fastupdate=on' = any(reloptions) order by 1`.execute(db);
  for (const { name } of rows) {
    await setList(db, name, 'off');
    await sql`select gin_clean_pending_list(${name}::regclass)`.execute(db);
  }
}

/** The lock lasts as long as the statement. If it is not free soon, the index stays as it is. */
async function setList(db: Database, index: string, state: 'on' | 'off'): Promise<void> {
  try {
    await transaction(
      db,
      (tx) => sql`alter index ${sql.table(index)} set (fastupdate = ${sql.lit(state)})`.execute(tx),
      { lockTimeoutMs: 1_000 },
    );
  } catch (error) {
    if (getSqlState(error) !== '55P03') throw error;
  }
}
