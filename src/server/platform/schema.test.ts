import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { connected } from '#server/testing/connected.ts';
import { runAsAdmin, withDatabase } from '#server/testing/database.ts';
import { openDatabase } from './database.ts';
import { projectFolder } from './embedded/folders.ts';
import { migrate } from './migrations.ts';
import * as renames from './schema-renames.ts';

const schemaFolder = path.join(projectFolder, 'migrations');
const replacedFolder = path.join(schemaFolder, 'replaced');

async function databaseOf(folder: string): Promise<pg.ClientConfig> {
  const { admin, user, owner } = inject('testServer');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await runAsAdmin(admin, `create database ${name} owner ${owner}`);
  onTestFinished(() => runAsAdmin(admin, `drop database if exists ${name} with (force)`));
  const connection = withDatabase(user, name);
  const db = openDatabase({ connection });
  await migrate(db, folder);
  await db.destroy();
  return connection;
}

/** One line of a description. `at` and `name` are renamed, `definition` as well, with the columns of the table `at`. */
type Line = { kind: string; at: string; name: string; definition: string };

const queries: readonly string[] = [
  `select 'table' as kind, relname as at, '' as name,
     concat_ws(' ', relkind::text, relpersistence::text, reloptions::text) as definition
   from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'S') and relname !~ '_id_seq$'`,
  `select 'column' as kind, relname as at, attname as name, concat_ws(' ',
     format_type(atttypid, atttypmod), attnotnull::text, nullif(attidentity, ''), nullif(attgenerated, ''),
     attstattarget::text, attstorage::text, nullif(attcompression, ''),
     (select collname from pg_collation where oid = attcollation), pg_get_expr(adbin, adrelid)) as definition
   from pg_attribute join pg_class on pg_class.oid = attrelid left join pg_attrdef on adrelid = attrelid and adnum = attnum
   where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped`,
  // The names that PostgreSQL gives follow from the columns.
  `select 'constraint' as kind, relname as at,
     case when conname ~ '_(check|key|fkey|pkey|not_null)[0-9]*$' then '' else conname end as name,
     concat_ws(' ', pg_get_constraintdef(con.oid), condeferrable::text, condeferred::text, convalidated::text) as definition
   from pg_constraint con join pg_class on pg_class.oid = conrelid where connamespace = 'public'::regnamespace`,
  `select 'index' as kind, relname as at, indexname as name, indexdef as definition
   from pg_indexes join pg_class on relname = tablename and relnamespace = 'public'::regnamespace
   where schemaname = 'public' and not exists (
     select from pg_constraint where conindid = (quote_ident(indexname))::regclass)`,
  `select 'trigger' as kind, relname as at, tgname as name, concat_ws(' ', tgenabled::text, pg_get_triggerdef(tri.oid)) as definition
   from pg_trigger tri join pg_class on pg_class.oid = tgrelid where not tgisinternal`,
  `select 'function' as kind, '' as at, proname as name, pg_get_functiondef(pro.oid) as definition
   from pg_proc pro where pronamespace = 'public'::regnamespace
     and not exists (select from pg_depend where objid = pro.oid and deptype = 'e')`,
  `select 'extension' as kind, '' as at, extname as name, '' as definition from pg_extension`,
  `select 'owned sequence' as kind, seq.relname as at, '' as name, concat(own.relname, '.', attname) as definition
   from pg_depend join pg_class seq on seq.oid = objid and seq.relkind = 'S' join pg_class own on own.oid = refobjid
     join pg_attribute on attrelid = refobjid and attnum = refobjsubid
   where deptype = 'a' and seq.relname !~ '_id_seq$'`,
];

function describe(connection: pg.ClientConfig): Promise<Line[]> {
  return connected(connection, async (client) => {
    const lines: Line[] = [];
    for (const query of queries) lines.push(...(await client.query<Line>(query)).rows);
    return lines;
  });
}

/** Strings in quotes are values and stay. */
function replaceWords(text: string, words: Readonly<Record<string, string>>): string {
  return text.replaceAll(/'[^']*'|\w+/g, (word) =>
    Object.hasOwn(words, word) ? (words[word] ?? word) : word,
  );
}

/** The same without comments and line breaks. */
const squeezed = (text: string) =>
  text
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\( | (?=\))/g, (match) => match.trim())
    .trim();

function renamed({ kind, at, name, definition }: Line): Line {
  const columns = renames.columns[at] ?? {};
  let text = definition;
  if (kind === 'function') {
    for (const [from, to] of renames.functionTexts[name] ?? []) {
      if (!text.includes(from)) throw new Error(`${name} has no ${from}`);
      text = text.replaceAll(from, to);
    }
    for (const [from, to] of renames.simplified) text = text.replaceAll(from, to);
  }
  text = replaceWords(replaceWords(text, columns), renames.names);
  return {
    kind,
    at: replaceWords(at, renames.names),
    name: kind === 'column' ? replaceWords(name, columns) : replaceWords(name, renames.names),
    definition: text,
  };
}

const sorted = (lines: readonly Line[]) =>
  lines.map(({ kind, at, name, definition }) => `${kind} ${at} ${name}: ${squeezed(definition)}`).toSorted();

test('the schema is that of the migrations it replaces, but for the names', async () => {
  const before = await describe(await databaseOf(replacedFolder));
  const after = await describe(await databaseOf(schemaFolder));
  expect(before.length).toBeGreaterThan(600);
  expect(sorted(after)).toEqual(sorted(before.map(renamed)));
});

test('each name that is replaced was in the migrations, and is not in the schema', async () => {
  const before = await describe(await databaseOf(replacedFolder));
  const after = await describe(await databaseOf(schemaFolder));
  const namesIn = (lines: readonly Line[]) => new Set(lines.flatMap(({ at, name }) => [at, name]));
  const [old, now] = [namesIn(before), namesIn(after)];
  const tablesAndColumns = (lines: readonly Line[]) =>
    new Set(lines.filter(({ kind }) => kind === 'column').map(({ at, name }) => `${at}.${name}`));
  const [oldColumns, nowColumns] = [tablesAndColumns(before), tablesAndColumns(after)];
  expect(Object.keys(renames.names).filter((from) => !old.has(from) || now.has(from))).toEqual([]);
  expect(Object.values(renames.names).filter((to) => old.has(to))).toEqual([]);
  for (const [table, columns] of Object.entries(renames.columns))
    for (const from of Object.keys(columns)) {
      expect(oldColumns).toContain(`${table}.${from}`);
      expect(nowColumns).not.toContain(`${replaceWords(table, renames.names)}.${from}`);
    }
});

test('neither writes rows', async () => {
  for (const folder of [replacedFolder, schemaFolder]) {
    const filled = await connected(await databaseOf(folder), async (client) => {
      const tables = await client.query<{ name: string }>(
        `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
      );
      const names: string[] = [];
      for (const { name } of tables.rows)
        if ((await client.query(`select from "${name}" limit 1`)).rows.length > 0) names.push(name);
      return names;
    });
    expect(filled).toEqual(['migration']);
  }
});
