import { createReadStream, existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { importStackExchange } from '#server/archive/archive.ts';
import { restore } from '#server/backup/restore.ts';
import { tablesOf } from '#server/backup/tables.ts';
import { writeFileOf } from '#server/backup/to-file.ts';
import { brokenInvariants } from '#server/invariants.ts';
import { databaseOn, openDatabase } from '#server/platform/database.ts';
import type { Embedded } from '#server/platform/embedded/embedded.ts';
import { projectFolder } from '#server/platform/embedded/folders.ts';
import { migrate } from '#server/platform/migrations.ts';
import { connected } from '#server/testing/connected.ts';
import { urlOf } from '#server/testing/database-url.ts';
import { Ledger } from '#server/testing/ledger.ts';
import { register } from '#server/testing/member.ts';
import { withFolder, withParley, withPostgres } from '#server/testing/throwaway.ts';
import { seeded } from '#server/testing/under-load.ts';

/**
 * Imports Stack Exchange archives, backs them up while members write, restores the file into another PostgreSQL, and
 * compares every row of every table with what it was at the moment of the backup. Parameter: a folder with archives.
 */
const [archives = path.join(projectFolder, '../shared/data')] = process.argv.slice(2);
const progress = { start: () => {}, update: () => {}, stop: () => {} };
const { signal } = new AbortController();
const migrationsFolder = path.join(projectFolder, 'migrations');

await withFolder((folder) =>
  withPostgres(async (from) => {
    const file = path.join(folder, 'whole.backup.tar');
    const backedUp = await backUp(from, file);
    await withPostgres((to) => compare(backedUp, file, to));
  }),
);

type BackedUp = { rows: Map<string, string[]>; meanwhile: number };

/** What was in every table at the moment of the backup, and how many writes were acknowledged while it was made. */
async function backUp(from: Embedded, file: string): Promise<BackedUp> {
  const db = openDatabase({ connection: from.connection });
  await migrate(db, migrationsFolder);
  await db.destroy();
  await importAll(from);
  const env = { DATABASE_URL: urlOf(from.connection) };
  return withParley({ env }, (address) => backUpUnderLoad(from, file, address));
}

async function backUpUnderLoad(from: Embedded, file: string, address: string): Promise<BackedUp> {
  let isOver = false;
  const ledgers = await Promise.all(
    ['Ann', 'Bob', 'Eve', 'Kim'].map(async (name) => new Ledger(await register(address, name), seeded(1))),
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
  const rows = await connected(from.connection, async (moment) => {
    await moment.query('begin isolation level repeatable read read only');
    const exported = await moment.query<{ id: string }>('select pg_export_snapshot() as id');
    await connected(from.connection, (client) =>
      writeFileOf(file, { client, version: 'bench', progress, signal, snapshot: exported.rows[0]?.id ?? '' }),
    );
    return rowsOf(moment);
  });
  const meanwhile = ledgers.reduce((sum, { acknowledged }) => sum + acknowledged, 0) - before;
  isOver = true;
  await working;
  return { rows, meanwhile };
}

async function compare({ rows, meanwhile }: BackedUp, file: string, to: Embedded): Promise<void> {
  const { size } = await stat(file);
  const restored = await connected(to.connection, async (client) => {
    await restore({ client, open: () => createReadStream(file), size, migrationsFolder, progress, signal });
    const broken = await brokenInvariants(databaseOn(client));
    if (broken.length > 0) throw new Error(`counts are wrong: ${JSON.stringify(broken)}`);
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
    `${rows.size} tables with ${compared.toLocaleString('en')} rows are the same, row by row, ` +
      `${(size / 1024 / 1024).toFixed(1)} MB; ${meanwhile} writes were acknowledged meanwhile; every count is right.`,
  );
}

async function importAll(from: Embedded): Promise<void> {
  for (const name of await readdir(archives)) {
    const folder = path.join(archives, name);
    if (!existsSync(path.join(folder, 'Posts.xml')) && !existsSync(path.join(folder, 'posts.xml'))) continue;
    const site = name.startsWith('truncated') ? { site: 'diy.meta.stackexchange.com' } : {};
    const { added } = await connected(from.connection, (client) =>
      importStackExchange({ folder, client, ...site }),
    );
    console.log(`${name}: ${added.questions} questions, ${added.answers} answers`);
  }
}

/** Every row of every table, as text and in an order of its own. */
async function rowsOf(client: pg.Client): Promise<Map<string, string[]>> {
  await client.query("set timezone = 'UTC'");
  const all = new Map<string, string[]>();
  for (const { name } of await tablesOf(client)) {
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
