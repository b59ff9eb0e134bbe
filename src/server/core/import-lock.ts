import { sql } from 'kysely';
import type { Reader } from './database.ts';

/** SQL: the key of the advisory lock that the session of an import, or of its undoing, holds from its beginning to its end. */
export const importLockKey = `hashtextextended('parley import', 0)`;

/** Whether an import of this database is running, or is being undone. */
export async function isImportRunning(db: Reader): Promise<boolean> {
  const { rows } = await sql`
    select from pg_locks join pg_database on pg_database.oid = database and datname = current_database()
    where locktype = 'advisory' and (classid::bigint << 32 | objid::bigint) = ${sql.raw(importLockKey)}`.execute(
    db,
  );
  return rows.length > 0;
}
