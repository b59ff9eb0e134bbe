import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type pg from 'pg';
import { bufferIn, type Statement, type Value } from './statement.ts';

const run = promisify(execFile);

/**
 * A variable of a script that replaces a value. Drawn at random, or (`once`) each number once, for values that must be
 * unique.
 */
export type Variable = { name: string; value: number; from: number; to: number; once?: true };

export async function hasPgbench(): Promise<boolean> {
  return run('pgbench', ['--version']).then(
    () => true,
    () => false,
  );
}

/** Formats statements as a pgbench script (PostgreSQL manual, pgbench, 'Custom Scripts'). */
export function createScript(statements: readonly Statement[], variables: readonly Variable[] = []): string {
  const lines = statements.map(({ text, values }) => {
    const filled = text.replace(/\$(\d+)/gu, (_, place: string) =>
      literal(values[Number(place) - 1], variables),
    );
    return `${filled.trim().replace(/;$/u, '')};`;
  });
  return `${[...setsOf(variables), ...lines].join('\n')}\n`;
}

/**
 * Merges the statements of many requests of one kind into one script that draws one request each time: numbers that
 * differ become variables. Other differences, such as the text of an event, are as in the first request. Requests with
 * other statements than the first are left out.
 */
export function createMergedScript(
  requests: readonly (readonly Statement[])[],
  variables: readonly Variable[],
): string {
  const [first = []] = requests;
  const alike = requests.filter((each) => textsOf(each) === textsOf(first));
  const sets = [String.raw`\set drawn random(0, ${alike.length - 1})`];
  const one = (values: readonly Value[]): string => {
    const [value = null] = values;
    if (values.every((each) => each === value) || !values.every(isWhole)) return literal(value, variables);
    const name = `v${sets.length}`;
    const cases = values.map((each, place) => `when :drawn = ${place} then ${textOf(each ?? 0)}`);
    sets.push(String.raw`\set ${name} case ${cases.join(' ')} end`);
    return `:${name}`;
  };
  const lines = first.map(({ text }, index) => {
    const filled = text.replace(/\$(\d+)/gu, (_, place: string) => {
      const values = alike.map((each) => each[index]?.values[Number(place) - 1] ?? null);
      const lists = values.filter((each) => Array.isArray(each));
      const length = lists[0]?.length ?? 0;
      if (lists.length < values.length || length === 0 || lists.some((list) => list.length !== length))
        return one(values);
      return `array[${Array.from({ length }, (__, item) => one(lists.map((list) => list[item] ?? null))).join(', ')}]`;
    });
    return `${filled.trim().replace(/;$/u, '')};`;
  });
  return `${[...setsOf(variables), ...sets, ...lines].join('\n')}\n`;
}

const textsOf = (statements: readonly Statement[]) => statements.map(({ text }) => text).join('\n');

const isWhole = (value: Value) => /^\d{1,18}$/u.test(typeof value === 'object' ? '' : String(value));

const setsOf = (variables: readonly Variable[]) =>
  variables.flatMap(({ name, from, to, once }) =>
    once
      ? [
          String.raw`\set taken :taken + 1`,
          String.raw`\set ${name} ${from} + (:taken * :clients + :client_id) % ${to - from + 1}`,
        ]
      : [String.raw`\set ${name} random(${from}, ${to})`],
  );

function literal(value: Value | undefined, variables: readonly Variable[]): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value))
    return value.some((item) => variableFor(item, variables) !== undefined)
      ? `array[${value.map((item) => literal(item, variables)).join(', ')}]`
      : quoted(`{${value.map(arrayItem).join(',')}}`);
  const variable = variableFor(value, variables);
  return variable === undefined ? quoted(textOf(value)) : `:${variable.name}`;
}

function variableFor(value: Value, variables: readonly Variable[]): Variable | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  return variables.find((variable) => String(variable.value) === String(value));
}

const arrayItem = (item: Value) => {
  if (item === null) return 'null';
  const escaped = textOf(item)
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`);
  return `"${escaped}"`;
};

function textOf(value: Exclude<Value, null>): string {
  if (typeof value !== 'object') return String(value);
  const bytes = bufferIn(value);
  return bytes === undefined ? JSON.stringify(value) : `\\x${bytes.toString('hex')}`;
}

/** Writes colons as character codes: pgbench would take a word after a colon for a variable. */
function quoted(text: string): string {
  return `E'${text
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "''")
    .replaceAll(':', String.raw`\x3a`)}'`;
}

/**
 * Runs scripts, chosen at random, for `seconds`. Resolves with the transactions per second.
 * @param taken how many `once` numbers each client used in earlier runs
 */
export async function runPgbench(
  connection: pg.ClientConfig,
  {
    scripts,
    clients,
    seconds,
    prepared,
    taken = 0,
  }: { scripts: readonly string[]; clients: number; seconds: number; prepared: boolean; taken?: number },
): Promise<number> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'parley-pgbench-'));
  try {
    const files = scripts.map((_, index) => path.join(directory, `${index}.sql`));
    await Promise.all(files.map((file, index) => writeFile(file, scripts[index] ?? '')));
    const protocol = prepared ? 'prepared' : 'extended';
    const how = ['-n', '-M', protocol, '-c', String(clients), '-j', '1', '-T', String(Math.ceil(seconds))];
    const defined = ['-D', `taken=${taken}`, '-D', `clients=${clients}`];
    const { stdout } = await run('pgbench', [...how, ...defined, ...files.flatMap((file) => ['-f', file])], {
      env: { ...process.env, ...environmentOf(connection) },
      maxBuffer: 16 * 1024 * 1024,
    });
    const tps = /^tps = ([\d.]+)/mu.exec(stdout)?.[1];
    if (tps === undefined) throw new Error(`pgbench reported no rate:\n${stdout}`);
    return Number(tps);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function environmentOf(connection: pg.ClientConfig): NodeJS.ProcessEnv {
  const { host, port, user, password, database } = connection;
  return {
    PGHOST: host,
    PGPORT: String(port),
    PGUSER: user,
    PGPASSWORD: typeof password === 'string' ? password : '',
    PGDATABASE: database,
  };
}
