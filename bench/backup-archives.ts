import { projectRoot } from '#server/core/paths.ts';
import { createReadStream, existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { importStackExchange } from '#server/import-export/stack-exchange-import.ts';
import { restoreBackup } from '#server/operations/backup-restore.ts';
import { listTables } from '#server/operations/backup-tables.ts';
import { writeBackupFile } from '#server/operations/backup-write-file.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import { databaseFromClient, openDatabase } from '#server/core/database.ts';
import type { EmbeddedPostgres } from '#server/postgres/embedded.ts';
import { migrate } from '#server/postgres/migrations.ts';
import { withClient } from '#tests/support/database-client.ts';
import { toDatabaseUrl } from '#tests/support/database-url.ts';
import { WriteLedger } from '#tests/support/write-ledger.ts';
import { register } from '#tests/support/member.ts';
import {
  withTemporaryDirectory,
  withTemporaryParley,
  withTemporaryPostgres,
} from '#tests/support/temporary-parley.ts';
import { createSeededRandom } from '#tests/support/seeded-random.ts';

/**
 * Imports Stack Exchange archives, backs them up while members write, restores the file into another PostgreSQL, and
 * compares every row of every table with its state at the time of the backup. Parameter: a directory with archives.
 */
const [archives = path.join(projectRoot, '../shared/data')] = process.argv.slice(2);
const progress = { start: () => {}, update: () => {}, stop: () => {} };
const { signal } = new AbortController();
const migrationsDirectory = path.join(projectRoot, 'migrations');

await withTemporaryDirectory((directory) =>
  withTemporaryPostgres(async (from) => {
    const file = path.join(directory, 'whole.backup.tar');
    const backedUp = await backUp(from, file);
    await withTemporaryPostgres((to) => compare(backedUp, file, to));
  }),
);

type BackedUp = { rows: Map<string, string[]>; meanwhile: number };

/** The rows of every table at the time of the backup, and the number of writes acknowledged during it. */
async function backUp(from: EmbeddedPostgres, file: string): Promise<BackedUp> {
  const db = openDatabase({ connection: from.connection });
  await migrate(db, migrationsDirectory);
  await db.destroy();
  await importAll(from);
  const env = { DATABASE_URL: toDatabaseUrl(from.connection) };
  return withTemporaryParley({ env }, (address) => backUpUnderLoad(from, file, address));
}

async function backUpUnderLoad(from: EmbeddedPostgres, file: string, address: string): Promise<BackedUp> {
  let isOver = false;
  const ledgers = await Promise.all(
    ['Ann', 'Bob', 'Eve', 'Kim'].map(
      async (name) => new WriteLedger(await register(address, name), createSeededRandom(1)),
    ),
  );
  const working = Promise.all(
    ledgers.map((ledger) =>
      ledger.write(
        () => address,
        () => isOver,
      ),
    ),
  );
  working.catch(() => {});
  const before = ledgers.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  const rows = await withClient(from.connection, async (moment) => {
    await moment.query('begin isolation level repeatable read read only');
    const exported = await moment.query<{ id: string }>('select pg_export_snapshot() as id');
    await withClient(from.connection, (client) =>
      writeBackupFile(file, {
        client,
        version: 'bench',
        progress,
        signal,
        snapshot: exported.rows[0]?.id ?? '',
      }),
    );
    return rowsOf(moment);
  });
  const meanwhile = ledgers.reduce((sum, { acknowledged }) => sum + acknowledged, 0) - before;
  isOver = true;
  await working;
  return { rows, meanwhile };
}

async function compare({ rows, meanwhile }: BackedUp, file: string, to: EmbeddedPostgres): Promise<void> {
  const { size } = await stat(file);
  const restored = await withClient(to.connection, async (client) => {
    await restoreBackup({
      client,
      open: () => createReadStream(file),
      size,
      migrationsDirectory,
      progress,
      signal,
    });
    const broken = await findViolations(databaseFromClient(client));
    if (broken.length > 0) throw new Error(`wrong counts: ${JSON.stringify(broken)}`);
    return rowsOf(client);
  });
  let compared = 0;
  for (const [table, lines] of rows) {
    const others = restored.get(table) ?? [];
    const wrong = lines.findIndex((line, index) => line !== others[index]);
    if (wrong !== -1 || others.length !== lines.length)
      throw new Error(`${table} differs at row ${wrong}: ${lines.length} rows, ${others.length} restored`);
    compared += lines.length;
  }
  console.log(
    `${rows.size} tables with ${compared.toLocaleString('en')} rows are identical, ` +
      `${(size / 1024 / 1024).toFixed(1)} MB; ${meanwhile} writes acknowledged during the backup; every count is correct.`,
  );
}

async function importAll(from: EmbeddedPostgres): Promise<void> {
  for (const name of await readdir(archives)) {
    const directory = path.join(archives, name);
    if (!existsSync(path.join(directory, 'Posts.xml')) && !existsSync(path.join(directory, 'posts.xml')))
      continue;
    const site = name.startsWith('truncated') ? { site: 'diy.meta.stackexchange.com' } : {};
    const { added } = await withClient(from.connection, (client) =>
      importStackExchange({ directory, client, ...site }),
    );
    console.log(`${name}: ${added.questions} questions, ${added.answers} answers`);
  }
}

/** Every row of every table as text, sorted. */
async function rowsOf(client: pg.Client): Promise<Map<string, string[]>> {
  await client.query("set timezone = 'UTC'");
  const all = new Map<string, string[]>();
  for (const { name } of await listTables(client)) {
    const { rows } = await client.query<{ row: string }>(
      `select to_jsonb(each)::text as row from "${name}" each order by 1`,
    );
    all.set(
      name,
      rows.map(({ row }) => row),
    );
  }
  return all;
}
