import { projectRoot } from '#server/core/paths.ts';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import type pg from 'pg';
import { importStackExchange } from '#server/import-export/stack-exchange-import.ts';
import { type Database, openDatabase } from '#server/core/database.ts';
import type { EmbeddedPostgres } from '#server/postgres/embedded.ts';
import { migrate } from '#server/postgres/migrations.ts';
import { findSimilar } from '#server/discovery/similar.ts';
import { withClient } from '#tests/support/database-client.ts';
import { withTemporaryPostgres } from '#tests/support/temporary-parley.ts';

/**
 * Measures how often similar questions find the question that people marked as a duplicate ('duplicate') or linked
 * ('linked'), compared with PostgreSQL's plain full-text ranking. Each site of the archives is a separate community in
 * a temporary embedded PostgreSQL. The exit code is 1 if fewer than 70 % of the duplicates are among the first five,
 * and 2 if the archives are missing.
 */
const { values } = parseArgs({
  options: { ranks: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});
if (values.help) {
  console.log('bench/similar-questions.ts [--ranks: print the rank of every pair]');
  process.exit(0);
}

const data = path.join(projectRoot, '../shared/data');
const directories: Readonly<Record<string, string>> = {
  'alcohol.stackexchange.com': 'beer-2020',
  'bicycles.meta.stackexchange.com': 'bicycles-meta-2023',
  'bioinformatics.stackexchange.com': 'bioinformatics-2017',
  'conlang.meta.stackexchange.com': 'conlang-meta-2020',
};
const wanted = 0.7;

type Link = { site: string; type: string; from: string; to: string };
type Question = { id: number; title: string; content: string; tags: string[] };
type Typed = 'title' | 'title and details' | 'title, details and tags';
const typings: readonly Typed[] = ['title', 'title and details', 'title, details and tags'];
type Ranking = (db: Database, question: Question) => Promise<number[]>;
const rankings: Readonly<Record<string, Ranking>> = { 'full text': fullText, 'similar questions': ours };

/** Results that are read of a ranking; a question further down counts as not found. */
const looked = 50;

process.exitCode = await run();

async function run(): Promise<number> {
  const missing = ['search-judgments', ...Object.values(directories)].filter(
    (each) => !existsSync(path.join(data, each)),
  );
  if (missing.length > 0) {
    console.error(`NOT RUN: ${missing.join(', ')} missing in ../shared/data next to the checkout.`);
    return 2;
  }
  return withTemporaryPostgres(async (embedded) => {
    const communities = new Map<string, Database>();
    try {
      const links = await readLinks();
      for (const [site, directory] of Object.entries(directories))
        communities.set(site, await openCommunity(embedded, { site, directory, links }));
      return await measure(communities, links);
    } finally {
      for (const db of communities.values()) await db.destroy();
    }
  });
}

async function readLinks(): Promise<Link[]> {
  const text = await readFile(path.join(data, 'search-judgments/question-links.tsv'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [site = '', type = '', from = '', to = ''] = line.split('\t');
      return { site, type, from, to };
    });
}

async function openCommunity(
  { connection, superuser }: EmbeddedPostgres,
  { site, directory, links }: { site: string; directory: string; links: readonly Link[] },
): Promise<Database> {
  const database = directory.replaceAll('-', '_');
  await withClient(superuser, (client) =>
    client.query(`create database ${database} owner ${connection.user}`),
  );
  const db = openDatabase({ connection: { ...connection, database } });
  await migrate(db, path.join(projectRoot, 'migrations'));
  await withClient({ ...connection, database }, async (client) => {
    await importStackExchange({ directory: path.join(data, directory), client, site });
    for (const link of links.filter((each) => each.site === site)) await forgetLink(client, link);
    await client.query('vacuum analyze');
  });
  return db;
}

/**
 * Removes lines from both questions and their answers that link to the other question or say that it is a duplicate: an
 * author would not have typed them, and an answer that quotes the title would reveal it.
 */
async function forgetLink(client: pg.Client, { from, to }: Link): Promise<void> {
  for (const [of, other] of [
    [from, to],
    [to, from],
  ]) {
    const line = String.raw`[^\n]*(possible duplicate|/(questions|q)/${other}\y)[^\n]*`;
    await client.query(
      `update question set content = coalesce(nullif(regexp_replace(content, $2, '', 'gi'), ''), title) where source_key = $1`,
      [of, line],
    );
    await client.query(
      `update answer set content = coalesce(nullif(regexp_replace(content, $2, '', 'gi'), ''), '-')
       where question_id = (select id from question where source_key = $1)`,
      [of, line],
    );
  }
}

async function measure(communities: ReadonlyMap<string, Database>, links: readonly Link[]): Promise<number> {
  console.log(
    '| judgment | typed | ranking | pairs | first | first 5 | first 10 | MRR | median ms | slowest ms |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|---|');
  let reached = 0;
  for (const type of ['duplicate', 'linked'])
    for (const typed of typings)
      for (const [name, rank] of Object.entries(rankings)) {
        const judged = links.filter((link) => link.type === type);
        const places: (number | null)[] = [];
        const times: number[] = [];
        for (const link of judged) {
          const db = communities.get(link.site);
          if (db === undefined) throw new Error(`no archive of ${link.site}`);
          const [from, to] = [await readQuestion(db, link.from), await readQuestion(db, link.to)];
          const asked = as(typed, from);
          const started = performance.now();
          const similar = await rank(db, asked);
          times.push(performance.now() - started);
          const place = similar.indexOf(to.id);
          places.push(place === -1 ? null : place + 1);
          if (values.ranks)
            console.error(`${type} | ${typed} | ${name} | ${place + 1} | ${from.title} → ${to.title}`);
        }
        console.log(`| ${type} | ${typed} | ${name} | ${figures(places, times)} |`);
        if (type === 'duplicate' && typed === 'title and details' && rank === ours)
          reached = within(places, 5) / places.length;
        if (type === 'duplicate' && typed !== 'title' && rank === ours) halves(typed, places);
      }
  const enough = reached >= wanted;
  console.log(
    `\nDuplicates among the first 5 by title and details: ${percent(reached)}; target: ${percent(wanted)}. ${enough ? 'Reached.' : 'NOT REACHED.'}`,
  );
  return enough ? 0 : 1;
}

function halves(typed: Typed, places: readonly (number | null)[]): void {
  const [even, odd] = [0, 1].map((rest) => places.filter((_, index) => index % 2 === rest));
  const text = [even, odd].map((half) => percent(within(half ?? [], 5) / (half?.length ?? 1)));
  console.error(`Halves of the duplicates, ${typed}, first 5: ${text.join(' and ')}`);
}

function figures(places: readonly (number | null)[], times: readonly number[]): string {
  const share = (first: number) => percent(within(places, first) / places.length);
  const mrr =
    places.reduce<number>((sum, place) => sum + (place === null ? 0 : 1 / place), 0) / places.length;
  const sorted = times.toSorted((a, b) => a - b);
  const [median, slowest] = [sorted[Math.floor(sorted.length / 2)] ?? 0, sorted.at(-1) ?? 0];
  return [
    places.length,
    share(1),
    share(5),
    share(10),
    mrr.toFixed(2),
    median.toFixed(0),
    slowest.toFixed(0),
  ].join(' | ');
}

function within(places: readonly (number | null)[], first: number): number {
  return places.filter((place) => place !== null && place <= first).length;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

async function readQuestion(db: Database, key: string): Promise<Question> {
  const row = await db
    .selectFrom('question')
    .select(['id', 'title', 'content', 'tag_text'])
    .where('source_key', '=', key)
    .executeTakeFirstOrThrow();
  const tags = row.tag_text === '' ? [] : row.tag_text.split(', ');
  return { id: row.id, title: row.title, content: row.content, tags };
}

function as(typed: Typed, question: Question): Question {
  const content = typed === 'title' ? '' : question.content;
  return { ...question, content, tags: typed === 'title, details and tags' ? question.tags : [] };
}

/**
 * The baseline: all questions with at least one of the words, ranked by PostgreSQL's `ts_rank` with its default
 * weights.
 */
async function fullText(db: Database, { id, title, content, tags }: Question): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with asked as materialized (
      select replace(plainto_tsquery('english', ${[title, content, ...tags].join(' ')})::text, ' & ', ' | ')::tsquery as query
    )
    select id from question, asked where search_vector @@ query and id <> ${id}
    order by ts_rank(search_vector, query) desc, id desc limit ${looked}`.execute(db);
  return rows.map((row) => row.id);
}

async function ours(db: Database, { id, title, content, tags }: Question): Promise<number[]> {
  const rows = await findSimilar(db, { title, content, tags, except: id, limit: looked });
  return rows.map((row) => row.id);
}
