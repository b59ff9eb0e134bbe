import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { openDatabase } from '#server/core/database.ts';
import { projectRoot } from '#server/core/paths.ts';
import { findArchiveFiles } from '#server/import-export/stack-exchange-files.ts';
import node from '#server/node-options.json' with { type: 'json' };
import { importStackExchange } from '#server/import-export/stack-exchange-import.ts';
import { migrate } from '#server/postgres/migrations.ts';
import { withClient } from '#tests/support/database-client.ts';
import { withTemporaryDirectory, withTemporaryPostgres } from '#tests/support/temporary-parley.ts';
import { answerHelp } from './usage.ts';

const usage = `Usage: bench/import-speed.ts DATA [--sites NAME,…] [--copies N]

Imports the unpacked Stack Exchange archives in DATA into empty databases of a temporary embedded PostgreSQL, each in a
process of its own, and prints its time, processor time (without PostgreSQL) and peak of resident memory. Each archive is
imported three times: whole; 'from HTML', without PostHistory.xml, so that all texts are converted; and 'no texts', with
one word for each text. Rates are posts per second of time, and in parentheses of processor time. With --copies, each
archive has its rows N times, with other ids, as a larger site.`;

answerHelp(usage);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sites: { type: 'string' },
    copies: { type: 'string', default: '1' },
    into: { type: 'string' },
    site: { type: 'string' },
  },
});
const copies = Number(values.copies);
/** Attributes whose numbers are ids of posts, members, comments, votes and other rows. */
const ids = new Set([
  'Id',
  'PostId',
  'ParentId',
  'AcceptedAnswerId',
  'OwnerUserId',
  'UserId',
  'LastEditorUserId',
  'RelatedPostId',
]);
const idsPerCopy = 10_000_000;

const ways = ['whole', 'from HTML', 'no texts'] as const;

/** The sites of the archives that are known; of others, the import infers it. */
const sites: Readonly<Record<string, string>> = {
  'beer-2020': 'alcohol.stackexchange.com',
  'bicycles-meta-2023': 'bicycles.meta.stackexchange.com',
  'bioinformatics-2017': 'bioinformatics.stackexchange.com',
  'conlang-meta-2020': 'conlang.meta.stackexchange.com',
  'datascience-meta-2024-posts-pipetags': 'datascience.meta.stackexchange.com',
  'economics-2012-legacy': 'economics.stackexchange.com',
  'stackoverflow-2008-posts-head': 'stackoverflow.com',
  'truncated-diy-meta': 'diy.meta.stackexchange.com',
};

const [data] = positionals;
if (data === undefined || !Number.isInteger(copies) || copies < 1) {
  console.error(usage);
  process.exitCode = 2;
} else if (values.into === undefined) await measureAll(path.resolve(data));
else await importInto(JSON.parse(values.into) as pg.ClientConfig, data);

/** What the process of an import took. */
type Usage = { rows: number; posts: number; seconds: number; processor: number; peak: number };

async function measureAll(directory: string): Promise<void> {
  const names = values.sites?.split(',') ?? (await readdir(directory));
  console.log('| archive | way | rows | posts | time | processor | posts/s | rows/s | peak memory |');
  console.log('|---|---|---|---|---|---|---|---|---|');
  await withTemporaryPostgres(async ({ superuser }) => {
    for (const name of names.toSorted()) {
      const archive = path.join(directory, name);
      if ((await findArchiveFiles([archive]).catch(() => null)) === null) continue;
      for (const [index, way] of ways.entries()) {
        const usage = await withTemporaryDirectory(async (parent) => {
          const source = await prepare(copies === 1 ? archive : await copyRows(archive, parent), parent, way);
          const database = `speed_${name.replace(/\W/gu, '_')}_${index}`;
          await withClient(superuser, (client) => client.query(`create database ${database}`));
          return importInProcess({ ...superuser, database }, source, sites[name]);
        });
        console.log(formatRow(copies === 1 ? name : `${name} × ${copies}`, way, usage));
      }
    }
  });
}

function formatRow(name: string, way: string, { rows, posts, seconds, processor, peak }: Usage): string {
  const rate = (count: number) => `${Math.round(count / seconds)} (${Math.round(count / processor)})`;
  return (
    `| ${name} | ${way} | ${rows} | ${posts} | ${seconds.toFixed(1)} s | ${processor.toFixed(1)} s | ` +
    `${rate(posts)} | ${rate(rows)} | ${Math.round(peak / 1024)} MB |`
  );
}

/** Returns a directory with the files of this way. */
async function prepare(archive: string, parent: string, way: (typeof ways)[number]): Promise<string> {
  if (way === 'whole') return archive;
  const target = path.join(parent, 'archive');
  await mkdir(target);
  for (const file of await readdir(archive)) {
    if (!/\.xml$/iu.test(file) || /^posthistory/iu.test(file)) continue;
    if (way === 'no texts' && /^posts/iu.test(file)) {
      const posts = await readFile(path.join(archive, file), 'utf8');
      await writeFile(
        path.join(target, file),
        posts.replaceAll(/ Body="[^"]*"/gu, ' Body="&lt;p&gt;Text&lt;/p&gt;"'),
      );
    } else await symlink(path.join(archive, file), path.join(target, file));
  }
  return target;
}

/** Writes an archive with each row `copies` times; tags once. Returns its directory. */
async function copyRows(archive: string, parent: string): Promise<string> {
  const target = path.join(parent, 'copies');
  await mkdir(target);
  for (const file of await readdir(archive)) {
    if (!/\.xml$/iu.test(file)) continue;
    const text = await readFile(path.join(archive, file), 'utf8');
    const [start, end] = [text.indexOf('<row'), text.lastIndexOf('/>') + 2];
    const copy = path.join(target, file);
    await writeFile(copy, text.slice(0, end));
    for (let number = 1; number < copies && !/^tags/iu.test(file); number++) {
      const rows = text
        .slice(start, end)
        .replaceAll(/ (\w+)="(\d+)"/gu, (attribute, name: string, id: string) =>
          ids.has(name) && id !== '0' ? ` ${name}="${Number(id) + number * idsPerCopy}"` : attribute,
        )
        .replaceAll(' RevisionGUID="', ` RevisionGUID="${number}-`);
      await appendFile(copy, rows);
    }
    await appendFile(copy, text.slice(end));
  }
  return target;
}

async function importInProcess(
  connection: pg.ClientConfig,
  source: string,
  site: string | undefined,
): Promise<Usage> {
  const program = fileURLToPath(import.meta.url);
  const child = spawn(
    process.execPath,
    [
      ...node.flags,
      program,
      source,
      '--into',
      JSON.stringify(connection),
      ...(site === undefined ? [] : ['--site', site]),
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...node.env, ...process.env },
    },
  );
  const output = (async () => Buffer.concat(await child.stdout.toArray()).toString())();
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`The import of ${source} failed.`);
  return JSON.parse(await output) as Usage;
}

/** The process of one import. */
async function importInto(connection: pg.ClientConfig, directory: string): Promise<void> {
  const db = openDatabase({ connection });
  await migrate(db, path.join(projectRoot, 'migrations'));
  await db.destroy();
  const before = process.cpuUsage();
  const start = performance.now();
  const { added, files } = await withClient(connection, (client) =>
    importStackExchange({
      directory,
      client,
      signal: new AbortController().signal,
      ...(values.site !== undefined && { site: values.site }),
    }),
  );
  const { user, system } = process.cpuUsage(before);
  const usage: Usage = {
    rows: files.reduce((sum, { read }) => sum + read, 0),
    posts: added.questions + added.answers,
    seconds: (performance.now() - start) / 1000,
    processor: (user + system) / 1e6,
    peak: process.resourceUsage().maxRSS,
  };
  console.log(JSON.stringify(usage));
}
