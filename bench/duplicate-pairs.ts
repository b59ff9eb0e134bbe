import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { one } from '#server/core/sql.ts';
import type pg from 'pg';
import { projectRoot } from '#server/core/paths.ts';
import { type Database, openDatabase } from '#server/core/database.ts';
import { findSimilar } from '#server/discovery/similar.ts';
import { search } from '#server/discovery/search.ts';
import { importStackExchange } from '#server/import-export/stack-exchange-import.ts';
import { migrate } from '#server/postgres/migrations.ts';
import { withClient } from '#tests/support/database-client.ts';
import { withTemporaryPostgres } from '#tests/support/temporary-parley.ts';
import { type LinkedQuestions, loadOnStartups, readOnStartupsDuplicates } from './onstartups-archive.ts';

const usage = `Usage: bench/duplicate-pairs.ts DATA [--sites NAME,…] [--ranks]

Measures how often search, similar and related questions find the question that a question duplicates or links to, as
members of real communities judged. DATA is a directory with the archives and search-judgments/question-links.tsv.
Each site is a community of its own in a temporary embedded PostgreSQL, or in the server of DATABASE_URL (a superuser's),
where it stays for the next run.

  --sites   some sites only: ${['beer', 'bicycles', 'bioinformatics', 'conlang', 'onstartups'].join(', ')}
  --ranks   also print the rank of every pair`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sites: { type: 'string' },
    ranks: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** The Stack Exchange archives that `question-links.tsv` judges: name here, directory, name of the site. */
const archives: Readonly<Record<string, { directory: string; site: string }>> = {
  beer: { directory: 'beer-2020', site: 'alcohol.stackexchange.com' },
  bicycles: { directory: 'bicycles-meta-2023', site: 'bicycles.meta.stackexchange.com' },
  bioinformatics: { directory: 'bioinformatics-2017', site: 'bioinformatics.stackexchange.com' },
  conlang: { directory: 'conlang-meta-2020', site: 'conlang.meta.stackexchange.com' },
};

/** A pair of question ids: the first duplicates the second or links to it. */
type Pair = LinkedQuestions & { kind: 'duplicate' | 'linked' };
type Community = { name: string; db: Database; pairs: Pair[] };
type Question = { id: number; title: string; content: string; tags: string[] };

/** Results that are looked at; a question further down counts as not found. */
const looked = 20;

const ways: Readonly<Record<string, (db: Database, asked: Question) => Promise<number[]>>> = {
  'search: title': async (db, { title }) => {
    const found = await search(db, {
      query: title,
      kind: 'questions',
      sort: 'relevance',
      cursor: undefined,
      viewerId: 0,
    });
    return found.questions.map(({ id }) => id);
  },
  'similar: title': (db, { title }) => similar(db, { title, content: '', tags: [] }),
  'similar: title and text': (db, { title, content }) => similar(db, { title, content, tags: [] }),
  'related: title, text and tags': similar,
};

async function similar(db: Database, asked: Omit<Question, 'id'>): Promise<number[]> {
  const rows = await findSimilar(db, { ...asked, except: null, limit: looked + 1 });
  return rows.map(({ id }) => id);
}

const [data] = positionals;
if (values.help || data === undefined) {
  console.log(usage);
  process.exit(values.help ? 0 : 2);
}
process.exitCode = await run(path.resolve(data));

async function run(directory: string): Promise<number> {
  const names = values.sites?.split(',') ?? [...Object.keys(archives), 'onstartups'];
  const needed = names.map((name) => archives[name]?.directory ?? 'onstartups-markdown');
  const missing = ['search-judgments', ...needed].filter((each) => !existsSync(path.join(directory, each)));
  if (missing.length > 0) {
    console.error(`NOT RUN: ${missing.join(', ')} missing in ${directory}`);
    return 2;
  }
  const measureOn = async (connection: pg.ClientConfig) => {
    const communities: Community[] = [];
    try {
      for (const name of names) communities.push(await openCommunity(connection, { name, directory }));
      await printTable(communities);
    } finally {
      for (const { db } of communities) await db.destroy();
    }
  };
  const url = process.env['DATABASE_URL'];
  if (url !== undefined) await measureOn({ connectionString: url });
  else await withTemporaryPostgres(({ superuser }) => measureOn(superuser));
  return 0;
}

async function openCommunity(
  server: pg.ClientConfig,
  { name, directory }: { name: string; directory: string },
): Promise<Community> {
  const database = `pairs_${name}`;
  const isNew = await withClient(server, async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
    if (rowCount === 0) await client.query(`create database ${database}`);
    return rowCount === 0;
  });
  const connection = withDatabase(server, database);
  const db = openDatabase({ connection });
  const pairs = await withClient(connection, async (client) => {
    if (isNew) {
      await migrate(db, path.join(projectRoot, 'migrations'));
      const archive = archives[name];
      if (archive === undefined) await loadOnStartups(client, [], directory);
      else
        await importStackExchange({
          directory: path.join(directory, archive.directory),
          client,
          site: archive.site,
        });
    }
    const judged = await readPairs(client, { name, directory });
    if (isNew) {
      for (const pair of judged) await removeMentions(client, pair);
      await client.query('vacuum analyze');
    }
    return judged;
  });
  return { name, db, pairs };
}

function withDatabase(server: pg.ClientConfig, database: string): pg.ClientConfig {
  if (server.connectionString === undefined) return { ...server, database };
  const url = new URL(server.connectionString);
  url.pathname = `/${database}`;
  return { connectionString: url.href };
}

async function readPairs(
  client: pg.Client,
  { name, directory }: { name: string; directory: string },
): Promise<Pair[]> {
  const archive = archives[name];
  if (archive === undefined)
    return (await readOnStartupsDuplicates(directory)).map((pair) => ({ ...pair, kind: 'duplicate' }));
  const { rows } = await client.query<{ id: number; source_key: string }>(
    'select id::float8, source_key from question',
  );
  const ids = new Map(rows.map(({ id, source_key: key }) => [key, id]));
  const text = await readFile(path.join(directory, 'search-judgments/question-links.tsv'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([site]) => site === archive.site)
    .map(([, kind, from = '', to = '']) => {
      const [fromId, toId] = [ids.get(from), ids.get(to)];
      if (fromId === undefined || toId === undefined) throw new Error(`${name} has no ${from} or no ${to}`);
      const pair = { from: fromId, to: toId, fromKey: from, toKey: to };
      return { ...pair, kind: kind === 'duplicate' ? 'duplicate' : 'linked' };
    });
}

/**
 * Removes lines from both questions and their answers that link to the other question or say that it is a duplicate: an
 * author would not have typed them, and an answer that quotes the title would reveal it.
 */
async function removeMentions(client: pg.Client, { from, to, fromKey, toKey }: Pair): Promise<void> {
  for (const [id, other] of [
    [from, toKey],
    [to, fromKey],
  ]) {
    const line = String.raw`[^\n]*(possible duplicate|/(questions|q)/${other}\y)[^\n]*`;
    await client.query(
      `update question set content = coalesce(nullif(regexp_replace(content, $2, '', 'gi'), ''), title) where id = $1`,
      [id, line],
    );
    await client.query(
      `update answer set content = coalesce(nullif(regexp_replace(content, $2, '', 'gi'), ''), '-') where question_id = $1`,
      [id, line],
    );
  }
}

async function printTable(communities: readonly Community[]): Promise<void> {
  console.log(
    '| site | judged | asked | pairs | first | first 5 | first 10 | MRR | median ms | slowest ms |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|---|');
  const all: Measured[] = [];
  for (const community of communities)
    for (const kind of ['duplicate', 'linked'] as const) {
      const pairs = community.pairs.filter((pair) => pair.kind === kind);
      for (const [way, find] of Object.entries(ways)) {
        const measured = await measure(community, { pairs, way, find });
        all.push(...measured.map((each) => ({ ...each, kind, way })));
        if (pairs.length > 0) console.log(`| ${community.name} | ${kind} | ${way} | ${figures(measured)} |`);
      }
    }
  if (communities.length < 2) return;
  for (const kind of ['duplicate', 'linked'])
    for (const way of Object.keys(ways)) {
      const some = all.filter((each) => each.kind === kind && each.way === way);
      console.log(`| all | ${kind} | ${way} | ${figures(some)} |`);
    }
}

type Rank = { rank: number | null; milliseconds: number };
type Measured = Rank & { kind: string; way: string };

async function measure(
  { db }: Community,
  {
    pairs,
    way,
    find,
  }: {
    pairs: readonly Pair[];
    way: string;
    find: (db: Database, asked: Question) => Promise<number[]>;
  },
): Promise<Rank[]> {
  const ranks: Rank[] = [];
  for (const { from, to } of pairs) {
    const [asked, wanted] = [await readQuestion(db, from), await readQuestion(db, to)];
    const started = performance.now();
    const found = await find(db, asked);
    const milliseconds = performance.now() - started;
    // A member who types the question has not posted it yet.
    const at = found.filter((id) => id !== from).indexOf(to);
    ranks.push({ rank: at === -1 ? null : at + 1, milliseconds });
    if (values.ranks)
      console.error(`${way} | ${at === -1 ? '-' : at + 1} | ${asked.title} → ${wanted.title}`);
  }
  return ranks;
}

async function readQuestion(db: Database, id: number): Promise<Question> {
  const { rows } = await sql<{ title: string; content: string; tag_text: string }>`
    select title, content, tag_text from question where id = ${id}`.execute(db);
  const row = one(rows);
  const tags = row.tag_text === '' ? [] : row.tag_text.split(', ');
  // The details of a question that is typed have at most 2,000 characters.
  return { id, title: row.title.slice(0, 200), content: row.content.slice(0, 2_000), tags };
}

function figures(ranks: readonly Rank[]): string {
  const share = (first: number) => {
    const found = ranks.filter(({ rank }) => rank !== null && rank <= first).length;
    return `${((found / ranks.length) * 100).toFixed(0)} %`;
  };
  const mrr = ranks.reduce((sum, { rank }) => sum + (rank === null ? 0 : 1 / rank), 0) / ranks.length;
  const times = ranks.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b);
  const [median = 0, slowest = 0] = [times[Math.floor(times.length / 2)], times.at(-1)];
  const cells = [ranks.length, share(1), share(5), share(10), mrr.toFixed(2)];
  return [...cells, median.toFixed(0), slowest.toFixed(0)].join(' | ');
}
