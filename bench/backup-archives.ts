import { createReadStream, existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { importStackExchange } from '#server/archive/archive.ts';
import { restore } from '#server/backup/restore.ts';
import { tablesOf } from '#server/backup/tables.ts';
import { writeFileOf } from '#server/backup/to-file.ts';
import { brokenInvariants } from '#server/invariants.ts';
import { databaseOn, openDatabase } from '#server/platform/database.ts';
import { startEmbedded } from '#server/platform/embedded/embedded.ts';
import { projectFolder } from '#server/platform/embedded/folders.ts';
import { migrate } from '#server/platform/migrations.ts';
import { urlOf } from '#server/testing/database-url.ts';
import { Ledger } from '#server/testing/ledger.ts';
import { register } from '#server/testing/member.ts';
import { spawnParley } from '#server/testing/process.ts';
import { seeded } from '#server/testing/under-load.ts';

/**
 * Imports Stack Exchange archives, backs them up while members write, restores the file into another PostgreSQL, and
 * compares every row of every table with what it was at the moment of the backup. Parameter: a folder with archives.
 */
const [archives = path.join(projectFolder, '../shared/data')] = process.argv.slice(2);
const progress = { start: () => {}, update: () => {}, stop: () => {} };
const { signal } = new AbortController();
const migrationsFolder = path.join(projectFolder, 'migrations');
const log = pino({ level: 'silent' });
const parent = await mkdtemp(path.join(os.tmpdir(), 'parley-archives-'));
await chmod(parent, 0o711);
const from = await startEmbedded({ folder: path.join(parent, 'from'), log });
const to = await startEmbedded({ folder: path.join(parent, 'to'), log });
try {
  await run();
} finally {
  await Promise.all([from.stop(), to.stop()]);
  await rm(parent, { recursive: true, force: true });
}

async function run(): Promise<void> {
  const db = openDatabase({ connection: from.connection });
  await migrate(db, migrationsFolder);
  await db.destroy();
  await importAll();
  const parley = spawnParley({ env: { DATABASE_URL: urlOf(from.connection) } });
  const address = await parley.ready;
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
  const file = path.join(parent, 'whole.backup.tar');
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
  parley.signal('SIGTERM');
  await parley.ended;
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

async function importAll(): Promise<void> {
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

async function connected<Result>(
  connection: pg.ClientConfig,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
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
