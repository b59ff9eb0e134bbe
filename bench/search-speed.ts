import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { pino } from 'pino';
import { type Database, openDatabase } from '#server/core/database.ts';
import { startEmbeddedPostgres } from '#server/postgres/embedded.ts';
import { searchInstantly } from '#server/discovery/search-instant.ts';
import { search } from '#server/discovery/search.ts';
import { findSimilar } from '#server/discovery/similar.ts';

/**
 * Measures search times in an existing community: queries drawn from its own titles, the same number of each kind, one
 * after another. Uses DATABASE_URL, or a data directory of Parley.
 */
const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    queries: { type: 'string', default: '200' },
    json: { type: 'boolean', default: false },
    slowest: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(
    'bench/search-speed.ts [--data directory] [--queries 200] [--json] [--slowest: print the slowest of each kind]',
  );
  process.exit(0);
}

type Kind = 'common word' | 'rare word' | 'two words' | 'inside words';
type Query = { kind: Kind; text: string };
type SearchFunction = (db: Database, text: string) => Promise<unknown>;

const asked = { sort: 'relevance', cursor: undefined, viewerId: 0 } as const;
const searchFunctions: Readonly<Record<string, SearchFunction>> = {
  questions: (db, query) => search(db, { query, kind: 'questions', ...asked }),
  answers: (db, query) => search(db, { query, kind: 'answers', ...asked }),
  'while typing': (db, query) => searchInstantly(db, query),
  similar: (db, title) => findSimilar(db, { title, content: '', tags: [], except: null, limit: 5 }),
};

if (values.data === undefined) {
  const connectionString = process.env['DATABASE_URL'];
  if (connectionString === undefined) throw new Error('Name a data directory, or set DATABASE_URL');
  await measure(openDatabase({ connection: { connectionString } }));
} else {
  const embedded = await startEmbeddedPostgres({ dataDirectory: values.data, log: pino({ level: 'error' }) });
  try {
    await measure(openDatabase({ connection: embedded.connection }));
  } finally {
    await embedded.stop();
  }
}

async function measure(db: Database): Promise<void> {
  try {
    const titles = await drawTitles(db, Number(values.queries));
    const queries = draw(titles, await wordUses(db, titles));
    const table: Record<string, unknown>[] = [];
    for (const [way, ask] of Object.entries(searchFunctions)) {
      const texts = way === 'similar' ? titles.map((text) => ({ kind: 'title', text })) : queries;
      // The first round reads the data into memory, as in a community in use.
      for (const { text } of texts) await ask(db, text);
      const times: { kind: string; text: string; ms: number }[] = [];
      for (const { kind, text } of texts) {
        const started = performance.now();
        await ask(db, text);
        times.push({ kind, text, ms: performance.now() - started });
      }
      const kinds = way === 'similar' ? ['title'] : [...new Set(queries.map(({ kind }) => kind)), 'all'];
      for (const kind of kinds) {
        const some = times
          .filter((time) => kind === 'all' || time.kind === kind)
          .toSorted((a, b) => a.ms - b.ms);
        table.push({ way, kind, queries: some.length, ...figures(some.map(({ ms }) => ms)) });
        if (values.slowest)
          for (const slow of some.slice(-3)) console.error(way, kind, slow.text, slow.ms.toFixed(0));
      }
    }
    if (values.json) console.log(JSON.stringify(table));
    else console.table(table);
  } finally {
    await db.destroy();
  }
}

/** In milliseconds. */
function figures(sorted: readonly number[]) {
  const at = (share: number) => round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]);
  return { p50: at(0.5), p95: at(0.95), max: round(sorted.at(-1)) };
}

const round = (ms = 0) => Math.round(ms * 10) / 10;

/** The same titles each time, from the whole table. */
async function drawTitles(db: Database, count: number): Promise<string[]> {
  const { rows } = await sql<{ title: string }>`
    with bounds as (select min(id) as first, max(id) - min(id) as span from question)
    select title from bounds, generate_series(1, ${count}) as place, lateral (
      select title from question where id >= bounds.first + bounds.span * place / (${count} + 1) order by id limit 1
    ) question`.execute(db);
  return rows.map(({ title }) => title);
}

const wordsIn = (title: string) => title.toLowerCase().match(/[a-z]{4,}/g) ?? [];

/** The number of questions with each word of the titles, from the search index. */
async function wordUses(db: Database, titles: readonly string[]): Promise<Map<string, number>> {
  const words = [...new Set(titles.flatMap(wordsIn))];
  const { rows } = await sql<{ word: string; uses: number }>`
    select word, max(uses)::float8 as uses from search_word where word = any(${words}::text[]) group by word`.execute(
    db,
  );
  return new Map(rows.map(({ word, uses }) => [word, uses]));
}

function draw(titles: readonly string[], uses: ReadonlyMap<string, number>): Query[] {
  const quarter = Math.floor(titles.length / 4);
  const use = (word: string) => uses.get(word) ?? 0;
  return titles.slice(0, quarter * 4).flatMap((title, index): Query[] => {
    const words = wordsIn(title);
    const often = words.toSorted((a, b) => use(b) - use(a));
    const at = index % Math.max(1, words.length);
    const long = words.toSorted((a, b) => b.length - a.length)[0] ?? 'ation';
    const kinds: readonly Query[] = [
      { kind: 'common word', text: often[0] ?? 'the' },
      { kind: 'rare word', text: often.at(-1) ?? 'rare' },
      {
        kind: 'two words',
        text: [words[at], words[(at + 1) % Math.max(1, words.length)]].join(' ').trim() || 'a',
      },
      { kind: 'inside words', text: long.slice(1, 6) },
    ];
    const query = kinds[index % 4];
    return query === undefined ? [] : [query];
  });
}
