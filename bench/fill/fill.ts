import pg from 'pg';
import { hashPassword } from '#server/identity/passwords.ts';
import {
  columns,
  createTotals,
  type Derived,
  derivedTables,
  type WriterParts,
  type Table,
  writeChunk,
  writeRest,
} from './tables.ts';
import { type TableLoad, startTableLoad } from './copy.ts';
import { recreateIndexes, dropIndexes } from './indexes.ts';
import { createRandom } from './random.ts';
import type { Shape } from './shape.ts';
import { createTextGenerator, readCorpus, tagNames } from './corpus.ts';
import { generateThreads } from './threads.ts';
import { createWordCounter } from './word-counts.ts';

/** Thrown when a database cannot be filled; its message says why. */
export class FillError extends Error {}

/** The password of every member. */
export const benchPassword = 'parley-bench';

export type FillOptions = {
  connection: pg.ClientConfig;
  shape: Shape;
  /** The archive that texts are made from; without it, the demo's texts are used. */
  archive?: string;
  /** Called with a progress message from time to time. */
  log: (sentence: string) => void;
};

/** The row of `setting` that records the options of a filled database, and whether filling finished. */
const settingName = 'bench';

/**
 * Fills an empty migrated database with a community of this shape: the same rows for the same seed, newest time and
 * corpus. A database whose filling was interrupted is unusable and must be created again.
 * @throws FillError when the database is not empty
 */
export async function fill({ connection, shape, archive, log }: FillOptions): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  client.on('error', () => {});
  try {
    await client.query('set statement_timeout = 0');
    await assertEmpty(client);
    const about = {
      questions: shape.questions,
      answers: shape.answers,
      views: shape.views,
      seed: shape.seed,
    };
    await client.query('insert into setting (name, value) values ($1, $2)', [
      settingName,
      JSON.stringify(about),
    ]);
    const existingTables = await existing(client, derivedTables);
    const tables = [
      ...Object.keys(columns),
      ...existingTables.filter(({ fills }) => fills).map(({ column }) => tableOf(column)),
    ];
    const taken = await dropIndexes(client, tables);
    await load({ connection, shape, log, ...(archive !== undefined && { archive }) });
    // Without statistics, PostgreSQL underestimates the number of rows and chooses nested loops.
    await client.query(`set work_mem = '256MB'; analyze ${tables.join(', ')}`);
    for (const { column, statement } of existingTables) {
      await client.query(statement);
      log(`${column} is computed from other tables.`);
    }
    log(`Recreating ${taken.length} indexes and keys …`);
    await recreateIndexes(connection, { taken, tables, log: (name) => log(`  ${name}`) });
    for (const table of tables) await continueIds(client, table);
    await client.query('vacuum analyze');
    await client.query(
      `update setting set value = (value::jsonb || '{"finished": true}')::text where name = $1`,
      [settingName],
    );
  } finally {
    await client.end();
  }
}

async function assertEmpty(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ used: boolean; bench: string | null }>(
    `select exists (select from member) or exists (select from question) as used,
       (select value from setting where name = $1) as bench`,
    [settingName],
  );
  const bench = rows[0]?.bench;
  if (bench != null && !bench.includes('finished'))
    throw new FillError('Filling this database was interrupted. Create a new database and fill that one.');
  if (rows[0]?.used !== false || bench != null)
    throw new FillError('This database is not empty. Only an empty database can be filled.');
}

const tableOf = (column: string) => column.slice(0, column.indexOf('.'));

async function existing(client: pg.Client, steps: readonly Derived[]): Promise<Derived[]> {
  const { rows } = await client.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'`,
  );
  const names = new Set(rows.map(({ name }) => name));
  return steps.filter(({ column }) => names.has(column));
}

async function load({ connection, shape, archive, log }: FillOptions): Promise<void> {
  const corpus = await readCorpus(archive);
  log(
    `Texts come from ${corpus.source}: ${corpus.titles.length} titles, ${corpus.sentences.length} sentences.`,
  );
  const random = createRandom(shape.seed + 1);
  const fillings = new Map<Table, TableLoad>();
  for (const [table, names] of Object.entries(columns))
    fillings.set(table as Table, await startTableLoad(connection, table, names));
  const parts: WriterParts = {
    shape,
    random,
    writer: createTextGenerator(random, corpus),
    tags: tagNames(random, corpus, shape.tags),
    totals: createTotals(shape),
    words: createWordCounter(),
    writeRows: (table, rows) => fillings.get(table)?.add(rows),
  };
  const settled = () => Promise.all([...fillings.values()].map((filling) => filling.waitForDrain()));
  let done = 0;
  for (const chunk of generateThreads(shape)) {
    writeChunk(chunk, parts);
    await settled();
    done += chunk.questions.length;
    log(`${done.toLocaleString('en')} of ${shape.questions.toLocaleString('en')} questions`);
  }
  for (const _ of writeRest(parts, await hashPassword(benchPassword))) await settled();
  await Promise.all([...fillings.values()].map((filling) => filling.end()));
}

/** Sets the sequence of a table to continue after the largest id. */
async function continueIds(client: pg.Client, table: string): Promise<void> {
  const { rows } = await client.query<{ column: string }>(
    `select attname as column from pg_attribute where attrelid = $1::regclass and attidentity <> '' and attnum > 0`,
    [table],
  );
  for (const { column } of rows)
    await client.query(
      `select setval(pg_get_serial_sequence($1, $2), (select coalesce(max(${column}), 0) + 1 from ${table}), false)`,
      [table, column],
    );
}
