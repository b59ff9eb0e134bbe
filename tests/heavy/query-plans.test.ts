import { getRequestListener } from '@hono/node-server';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, describe, expect, test } from 'vitest';
import type { FeedPage } from '#shared/engagement/mutes.ts';
import { createApp } from '#server/app.ts';
import { countStatistics } from '#server/admin/statistics.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import { openSiteSettings } from '#server/core/site-settings.ts';
import { openDatabase } from '#server/core/database.ts';
import { startHttpServer } from '#server/core/http-server.ts';
import { unreachableEmailServer } from '#tests/support/server-with-provider.ts';
import { type EndpointCall, readCalls } from '#tests/support/endpoint-calls.ts';
import { writeCalls } from '#tests/support/endpoint-calls-writes.ts';
import { createSkewedCommunity } from '#tests/support/skewed-community.ts';
import { rebuildStatistics } from '#tests/support/statistics.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { startOidcProvider } from '#tests/support/oidc-provider.ts';
import { type Document, listOperations } from '#tests/support/openapi.ts';
import { type ExecutedStatement, recordQueryPlans } from '#tests/support/query-plans.ts';
import { defaultSettings, startTestServer } from '#tests/support/server.ts';

// ARCHITECTURE.md, invariant 10: the cost of a page does not grow with the community, nor with a single very active
// member, topic or thread. The tests call every endpoint of the OpenAPI document on a database in which each of these
// has thousands of rows, and PostgreSQL reports how many rows each step of each statement read.
const parley = await startTestServer({}, { email: unreachableEmailServer });
const recorder = await recordQueryPlans(parley.database);
const db = openDatabase({ connection: recorder.connection });
const log = pino({ level: 'error' });
const provider = await startOidcProvider();
const settings = { ...defaultSettings, identityProvider: provider.settings };
const siteSettings = await openSiteSettings(db);
const app = createApp({ db, siteSettings, settings, log, background: parley.backgroundJobs });
const http = await startHttpServer(getRequestListener(app.fetch), '127.0.0.1', 0);
provider.registerClient(http.address);
afterAll(async () => {
  await provider.stop();
  http.closeConnections();
  await http.stop(0);
  await db.destroy();
  await parley.stop();
});

const register = async (name: string) => (await parley.register(name)).onServer(http.address);
const [busy, muting, rare] = [await register('Busy'), await register('Muting'), await register('Rare')];
const skewed = await createSkewedCommunity(parley.database, {
  busyId: busy.id,
  mutingId: muting.id,
  rareFollowerId: rare.id,
});
await rebuildStatistics(parley.db);
await countStatistics(parley.db, Number.POSITIVE_INFINITY);
await sql`
  insert into empty_search select utc_day(now()) - age, 'search ' || n, 1
  from generate_series(0, 80) age, generate_series(1, 500) n`.execute(parley.db);
await sql`analyze community_statistics, community_tag_statistics, empty_search`.execute(parley.db);
// Runs the statements that the server executes only on its first request.
const operations = listOperations(expectOk(await busy.get<Document>('/openapi.json')));
expectOk(await busy.get('/session'));

/** Rows a step may read: a feed without muted topics reads 400 (engagement/mutes-filter.ts). */
const atMost = 500;

const called = new Set<string>();
const stage = { ...skewed, busy, muting, rareFollower: rare, db: parley.db };
const costs: { call: string; statements: number; rows: number }[] = [];

test.each([busy, rare])('the feed of $name is in order and complete', async (member) => {
  const pages: number[] = [];
  let cursor = '';
  for (let page = 0; page < 4; page++) {
    const { items, nextCursor } = expectOk(await member.get<FeedPage>(`/following/questions${cursor}`));
    pages.push(...items.map(({ id }) => id));
    cursor = `?cursor=${nextCursor}`;
  }
  expect(pages).toEqual(await followedBy(member, sql`order by created_at desc, id desc limit 80`));
  const { items } = expectOk(await member.get<FeedPage>('/following/activity'));
  const active = await followedBy(
    member,
    sql`and active_at > now() - interval '7 days' order by active_at desc, id desc limit 10`,
  );
  expect(items.map(({ id }) => id)).toEqual(active);
});

describe('an endpoint reads a limited number of rows in each step', () => {
  test.each(Object.entries({ ...readCalls, ...writeCalls }))('%s', async (_, calls) => {
    const wrong: string[] = [];
    for (const call of await calls(stage)) wrong.push(...(await run(call)));
    expect(wrong).toEqual([]);
  });

  test('every endpoint was called', () => {
    // It reads a member by id, and posts through endpoints that are called here.
    called.add('POST /received-emails');
    expect(operations.map(({ name }) => name).filter((name) => !called.has(name))).toEqual([]);
  });

  test('the seeded community is consistent', async () => {
    expect(await findViolations(parley.db)).toEqual([]);
  });

  afterAll(() => {
    if (process.env['PLANS'] === undefined) return;
    for (const { call, statements, rows } of costs)
      console.log(`${String(statements).padStart(4)} ${String(rows).padStart(7)}  ${call}`);
  });
});

/** Computed without an index, from all questions. */
async function followedBy({ id: memberId }: Member, rest: ReturnType<typeof sql>): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from question
    where id in (
      select question_id from question_follow where member_id = ${memberId}
      union select question_id from question_tag join tag_follow using (tag_id) where member_id = ${memberId}
    ) ${rest}`.execute(parley.db);
  return rows.map(({ id }) => id);
}

/** Calls an endpoint. Returns a sentence for each statement that reads too much. */
async function run({
  by,
  method,
  path,
  body,
  file,
  maxRows = atMost,
  scannedTable,
}: EndpointCall): Promise<string[]> {
  const name = nameOf(method, path);
  called.add(name);
  await parley.resetRateLimits();
  recorder.takeStatements();
  const response = await by.send(method, path, { body, file });
  const statements = recorder.takeStatements();
  const message = `${by.name}: ${method} ${path}`;
  if (response.status >= 300) return [`${message}: ${response.status} ${response.detail}`];
  costs.push({ call: message, statements: statements.length, rows: mostRows(statements) });
  if (sought.has(name)) return [];
  return statements.flatMap(({ text, nodes }) => {
    const [worst] = nodes
      .filter(
        (node) =>
          node.rows > maxRows ||
          (node.type === 'Seq Scan' && grows(node.table) && node.table !== scannedTable),
      )
      .toSorted((a, b) => b.rows - a.rows);
    return worst === undefined
      ? []
      : `${message}: ${worst.rows} rows by ${worst.type} ${worst.table ?? ''} in: ${text.slice(0, 300)}`;
  });
}

/** Searches read candidates. Their own tests limit them (search/, similar/). */
const sought = new Set([
  'GET /search',
  'GET /search/instant',
  'POST /questions/similar',
  'GET /questions/{id}/related',
]);

/** Tables whose rows grow only with the number of imported sites, settings, nodes or kinds of jobs, or are limited. */
const small = new Set([
  'import_source',
  'setting',
  'site_setting',
  'node_heartbeat',
  'queue',
  'announcement',
  'sign_in_provider',
  'event_reader',
  'event_id_seq',
  'webhook',
  'webhook_old_secret',
  'service_account',
  'public_change_state',
]);
const grows = (table: string | null) => table !== null && !small.has(table) && !table.startsWith('pg_');

const mostRows = (statements: readonly ExecutedStatement[]) =>
  Math.max(0, ...statements.flatMap(({ nodes }) => nodes.map((node) => node.rows)));

/** The endpoint of a path in the OpenAPI document. If several match, the one with the fewest parameters. */
function nameOf(method: string, path: string): string {
  const [plain = ''] = path.split('?');
  const fitting = operations
    .filter((operation) => operation.method === method)
    .filter((operation) => new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(plain))
    .toSorted((a, b) => a.path.split('{').length - b.path.split('{').length);
  return fitting[0]?.name ?? `${method} ${plain}, which is not in the OpenAPI document`;
}
