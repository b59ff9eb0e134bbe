import { randomInt } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { findViolations } from '#server/operations/integrity-check.ts';
import { type Database, openDatabase } from '#server/core/database.ts';
import type { EmbeddedPostgres } from '#server/postgres/embedded.ts';
import type { ConnectionSettings } from '#server/postgres/embedded-postmaster.ts';
import { toDatabaseUrl } from '#tests/support/database-url.ts';
import { type Member, register } from '#tests/support/member.ts';
import { spawnParley } from '#tests/support/parley-process.ts';
import { withTemporaryPostgres } from '#tests/support/temporary-parley.ts';
import { type Tally, Client, type SharedItems } from './concurrency/client.ts';
import { listDifferences, Page, readPageState, type ObservedItems } from './concurrency/page.ts';

const help = `bench/concurrency.ts [--minutes 5] [--clients 64]

Clients on two nodes vote, follow, bookmark, mute, post, edit, accept and delete on the same few items without a pause,
two browsers per member, while some pages stay open and lose their connections from time to time. Afterwards, no response
may have been unexpected (none with status 500 or more; on a busy machine, load shedding may respond 503 after 15
seconds), every count must equal its rows, and every open page must equal a page loaded now. The exit code is 1 if one of
these fails.`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '5' },
    clients: { type: 'string', default: '64' },
  },
});
const clientsCount = Number(values.clients);
const milliseconds = Number(values.minutes) * 60_000;
const pagesCount = 8;
const tags = ['bread', 'rye', 'oven'];

/** Maximum time until the last events reach a page, in milliseconds. */
const timeoutMs = 15_000;

if (values.help) console.log(help);
else await withTemporaryPostgres(main);

async function main({ connection, superuser, dataDirectory }: EmbeddedPostgres): Promise<void> {
  await logDeadlocks(superuser);
  const env = { DATABASE_URL: toDatabaseUrl(connection), LOG_LEVEL: 'info', NODE_ENV: 'production' };
  const first = spawnParley({ env });
  const nodes = [first];
  const db = openDatabase({ connection, maxConnections: 2 });
  try {
    await first.ready;
    nodes.push(spawnParley({ env }));
    const wrong = await run(db, await Promise.all(nodes.map((node) => node.ready)));
    await printDatabaseErrors(db, dataDirectory);
    for (const node of nodes) {
      const lines = node
        .output()
        .split('\n')
        .filter((line) => /error|warn/iu.test(line));
      wrong.push(...lines.slice(0, 20).map((line) => `a node's log: ${line}`));
    }
    for (const message of wrong) console.log(`WRONG ${message}`);
    console.log(wrong.length === 0 ? '\nNo errors.' : `\n${wrong.length} errors.`);
    process.exitCode = wrong.length === 0 ? 0 : 1;
  } finally {
    for (const node of nodes) node.signal('SIGTERM');
    await Promise.all(nodes.map((node) => node.ended));
    await db.destroy();
  }
}

/** Returns a sentence for each violation. */
async function run(db: Database, addresses: readonly string[]): Promise<string[]> {
  const members: Member[] = [];
  for (let index = 0; index < Math.ceil(clientsCount / 2); index++)
    members.push(await register(addresses[index % 2] ?? '', `Member ${index + 1}`));
  const [author] = members;
  if (author === undefined) throw new Error('no member was created');
  const permanentQuestions = [
    await author.ask({ tags: ['bread'] }),
    await author.ask({ tags: ['rye', 'oven'] }),
  ];
  const common: SharedItems = { permanentQuestions, questions: [], answers: [], replies: [] };
  const watched = { questions: permanentQuestions, tags };
  const pages = await Promise.all(
    Array.from({ length: pagesCount }, (_, index) => {
      const address = addresses[Math.floor(index / 2) % 2] ?? '';
      return Page.open((members[index % members.length] ?? author).onServer(address), watched);
    }),
  );
  const tally: Tally = { responses: new Map(), unexpected: [], times: [] };
  const until = performance.now() + milliseconds;
  const isOver = () => performance.now() >= until;
  const clients = Array.from({ length: clientsCount }, (_, index) => {
    const member = members[Math.floor(index / 2)] ?? author;
    return new Client(
      member.onServer(addresses[index % 2] ?? ''),
      common,
      index < 2 ? permanentQuestions : [],
    );
  });
  const background = [clearRateLimits(db, isOver), breakPages(pages, isOver)];
  await Promise.all([...clients.map((client) => client.act(tally, isOver)), ...background]);
  printTally(tally);
  const fresh = await register(addresses[0] ?? '', 'Fresh');
  return [
    ...tally.unexpected.slice(0, 50),
    ...(await findViolations(db)).map((row) => JSON.stringify(row)),
    ...(await findStalePages(pages, watched)),
    ...(await compareNodes(fresh, addresses, watched)),
  ];
}

/** Members of the bench exceed the rate limits. */
async function clearRateLimits(db: Database, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await sql`delete from rate_limit where key in (select key from rate_limit for update skip locked)`.execute(
      db,
    );
    await delay(500);
  }
}

async function breakPages(pages: readonly Page[], isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await delay(1_000);
    pages[randomInt(pages.length)]?.break();
  }
}

/** Compares an open page with what the same member now reads on the same node. */
async function findStalePages(pages: readonly Page[], watched: ObservedItems): Promise<string[]> {
  const wrong: string[] = [];
  const began = performance.now();
  for (const [index, page] of pages.entries()) {
    let differences: string[];
    do {
      const { shown } = await readPageState(page.member, watched);
      differences = listDifferences(page.shown, shown);
      if (differences.length > 0) await delay(200);
    } while (differences.length > 0 && performance.now() - began < timeoutMs);
    wrong.push(...differences.map((message) => `page ${index + 1} shows ${message}`));
    page.close();
  }
  const sum = (count: (page: Page) => number) => pages.reduce((total, page) => total + count(page), 0);
  console.log(
    `${pages.length} open pages received ${sum((page) => page.receivedEvents)} events, reconnected ` +
      `${sum((page) => page.breaks)} times and reloaded ${sum((page) => page.gaps)} times; in sync after ` +
      `${Math.round(performance.now() - began)} ms`,
  );
  return wrong;
}

/** A member without own actions reads the same on both nodes. */
async function compareNodes(
  fresh: Member,
  addresses: readonly string[],
  watched: ObservedItems,
): Promise<string[]> {
  const [here, there] = await Promise.all(
    addresses.map((address) => readPageState(fresh.onServer(address), watched)),
  );
  if (here === undefined || there === undefined) throw new Error('two nodes are needed');
  return listDifferences(here.shown, there.shown).map((message) => `on one node ${message}`);
}

function printTally({ responses, times }: Tally): void {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
  console.log(
    `${sorted.length} requests of ${clientsCount} clients in ${values.minutes} min: median ${at(0.5)} ms, ` +
      `p99 ${at(0.99)} ms, maximum ${at(1)} ms`,
  );
  console.log(
    `${os.cpus().length} cores, load average ${os.loadavg()[1]?.toFixed(1)}, including other processes`,
  );
  const lines = [...responses].toSorted(([a], [b]) => a.localeCompare(b));
  console.log(lines.map(([key, count]) => `  ${key}: ${count}`).join('\n'));
}

/** Makes PostgreSQL log the statements of a deadlock. */
async function logDeadlocks(superuser: ConnectionSettings): Promise<void> {
  const admin = openDatabase({ connection: superuser, maxConnections: 1 });
  await sql`alter system set log_error_verbosity = 'default'`.execute(admin);
  await sql`select pg_reload_conf()`.execute(admin);
  await admin.destroy();
}

/** Prints what PostgreSQL reports. Transactions aborted by a deadlock are retried, so members do not notice. */
async function printDatabaseErrors(db: Database, directory: string): Promise<void> {
  const { rows } = await sql<{ deadlocks: number; rollbacks: number; commits: number }>`
    select deadlocks, xact_rollback as rollbacks, xact_commit as commits
    from pg_stat_database where datname = current_database()`.execute(db);
  console.log(
    `PostgreSQL: ${rows[0]?.commits} commits, ${rows[0]?.rollbacks} rollbacks, ${rows[0]?.deadlocks} deadlocks`,
  );
  const lines = new Map<string, number>();
  for (const file of (await readdir(directory, { recursive: true })).filter((name) =>
    name.endsWith('.log'),
  )) {
    // Continuation lines start with a tab.
    const text = (await readFile(path.join(directory, file), 'utf8')).replaceAll(/\n\s+/gu, ' ');
    for (const [, message = ''] of text.matchAll(/ ((?:ERROR|FATAL|PANIC|WARNING): .*)/gu))
      count(lines, message);
    // The statements of each deadlock that waited for each other.
    for (const [, waiting = ''] of text.matchAll(/DETAIL: +(Process \d+ waits for .*)/gu))
      count(
        lines,
        [...waiting.matchAll(/Process \d+: ((?:(?! Process \d+: ).)*)/gu)]
          .map(([, each = '']) => each)
          .toSorted((one, other) => one.localeCompare(other))
          .join(' <> '),
      );
  }
  for (const [line, times] of [...lines].toSorted(([, a], [, b]) => b - a).slice(0, 40))
    console.log(`  log, ${times} times: ${line}`);
}

function count(lines: Map<string, number>, text: string): void {
  const line = text
    .replaceAll(/\b\d+\b/gu, 'N')
    .replaceAll(/\s+/gu, ' ')
    .slice(0, 1_500);
  lines.set(line, (lines.get(line) ?? 0) + 1);
}
