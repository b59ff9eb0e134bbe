import { projectRoot } from '#server/core/paths.ts';
import path from 'node:path';
import type pg from 'pg';
import { type Database, openDatabase } from '#server/core/database.ts';
import { migrate } from '#server/postgres/migrations.ts';
import { search } from '#server/discovery/search.ts';
import { withClient } from '#tests/support/database-client.ts';
import { withTemporaryPostgres } from '#tests/support/temporary-parley.ts';
import { loadOnStartups } from './onstartups-archive.ts';
import { maxRank, ownQuestions, queries, type SearchCase } from './search-queries.ts';
import { answerHelp } from './usage.ts';

answerHelp(`bench/search-relevance.ts

Searches the 9,925 questions of the OnStartups Answers archive with realistic queries, and prints the rank of the expected
question for each. The exit code is 1 if one is not among the first results. Uses a temporary embedded PostgreSQL, or
DATABASE_URL, where questions stay and are not loaded again.`);

const url = process.env['DATABASE_URL'];
process.exitCode =
  url === undefined
    ? await withTemporaryPostgres(({ connection }) => measure(connection))
    : await measure({ connectionString: url });

/** Returns the exit code. */
async function measure(connection: pg.ClientConfig): Promise<number> {
  const db = openDatabase({ connection });
  try {
    await migrate(db, path.join(projectRoot, 'migrations'));
    await load(connection);
    return await printTable(db);
  } finally {
    await db.destroy();
  }
}

async function load(connection: pg.ClientConfig): Promise<void> {
  await withClient(connection, async (client) => {
    const { rowCount } = await client.query('select 1 from question limit 1');
    if (rowCount === 0) console.error(`Loaded ${await loadOnStartups(client, ownQuestions)} questions.`);
  });
}

async function printTable(db: Database): Promise<number> {
  console.log('| query | kind | expected question | rank | results | ms |');
  console.log('|---|---|---|---|---|---|');
  const times: number[] = [];
  let missed = 0;
  for (const asked of queries) {
    const { rank, results, milliseconds } = await ask(db, asked);
    times.push(milliseconds);
    if (rank === null || rank > maxRank) missed++;
    const cells = [code(asked.query), asked.kind, text(asked.expected), rank ?? 'not found', results];
    console.log(`| ${[...cells, milliseconds].join(' | ')} |`);
  }
  const [median, slowest] = [
    times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)],
    Math.max(...times),
  ];
  console.log(
    `\n${queries.length} queries; ${queries.length - missed} have the expected question among the first ${maxRank}. ` +
      `Median ${median} ms, slowest ${slowest} ms.`,
  );
  return missed === 0 ? 0 : 1;
}

async function ask(db: Database, { query, expected }: SearchCase) {
  const started = performance.now();
  const results = await search(db, {
    query,
    kind: 'questions',
    sort: 'relevance',
    cursor: undefined,
    viewerId: 0,
  });
  const milliseconds = Math.round(performance.now() - started);
  const place = results.questions.findIndex((question) => question.title.trim() === expected);
  const counted = results.total > 1000 ? 'more than 1,000' : String(results.total);
  return {
    rank: place === -1 ? null : place + 1,
    results: results.corrected ? `${counted} (forgiving)` : counted,
    milliseconds,
  };
}

/** Formats code for a cell of a Markdown table. */
function code(query: string): string {
  return `\`${query.replaceAll('|', String.raw`\|`)}\``;
}

/** Escapes text for a cell of a Markdown table. */
function text(title: string): string {
  return title.replace(/[\\|*_<`]/gu, String.raw`\$&`);
}
