import path from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { positionHeader } from '#shared/core/events.ts';
import { type Database, openDatabase } from '#server/core/database.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#server/postgres/embedded.ts';
import { migrate } from '#server/postgres/migrations.ts';
import { migrationsDirectory } from '#server/core/paths.ts';
import { withClient } from '#tests/support/database-client.ts';
import { withDatabase } from '#tests/support/database.ts';
import { toDatabaseUrl } from '#tests/support/database-url.ts';
import { expectEachOnceInOrder, startFollowingNode } from '#tests/support/late-commits.ts';
import { LiveSocket } from '#tests/support/live-socket.ts';
import { register } from '#tests/support/member.ts';
import { eventually } from '#tests/support/parley.ts';
import { type ParleyProcess, spawnParley } from '#tests/support/parley-process.ts';
import { withTemporaryDirectory } from '#tests/support/temporary-parley.ts';

/** Half of them are in Parley's database, the other half in another database of the same server. */
const transactions = 350;

let embedded: EmbeddedPostgres;
let db: Database;
const sessions: pg.Client[] = [];
const over = Promise.withResolvers<void>();
let removed: Promise<void>;

beforeAll(async () => {
  const made = Promise.withResolvers<string>();
  removed = withTemporaryDirectory(async (directory) => {
    made.resolve(directory);
    await over.promise;
  });
  const start = async () =>
    startEmbeddedPostgres({
      dataDirectory: path.join(await made.promise, 'data'),
      log: pino({ level: 'error' }),
    });
  const first = await start();
  await withClient(first.superuser, async (client) => {
    await client.query('alter system set max_connections = 500');
    await client.query('create database another');
    // Uses up transaction ids, so that they are as long as in an older database.
    await client.query(`do $$ begin
      create temp table used (id int);
      for id in 1..20000 loop
        begin insert into used values (id); exception when others then null; end;
      end loop;
    end $$`);
  });
  await first.stop();
  embedded = await start();
  db = openDatabase({ connection: embedded.connection, maxConnections: 12 });
  await migrate(db, migrationsDirectory);
  for (let number = 0; number < transactions; number++) {
    const connection = number % 2 === 0 ? embedded.connection : withDatabase(embedded.superuser, 'another');
    const client = new pg.Client(connection);
    await client.connect();
    await client.query('begin; select pg_current_xact_id()');
    sessions.push(client);
  }
  // A later transaction that has ended: a snapshot lists the open ones only if such a transaction exists.
  await withClient(embedded.connection, (client) => client.query('select pg_current_xact_id()'));
});
afterAll(async () => {
  for (const client of sessions) await client.end();
  await db.destroy();
  await embedded.stop();
  over.resolve();
  await removed;
});

test('two nodes serve, exchange events and send short positions while 350 transactions are open', async () => {
  const env = { DATABASE_URL: toDatabaseUrl(embedded.connection), LOG_LEVEL: 'info' };
  const nodes: ParleyProcess[] = [spawnParley({ env }), spawnParley({ env })];
  try {
    const [first = '', second = ''] = await Promise.all(nodes.map((node) => node.ready));
    for (const address of [first, second]) expect((await fetch(`${address}/readyz`)).status).toBe(200);
    const ada = await register(first, 'Ada');
    const socket = await LiveSocket.open(ada.onServer(second), 'feeds');
    const questionId = await ada.ask();
    await eventually(() => socket.events.length > 0);
    expect(socket.events).toEqual([{ kind: 'question-posted', questionId, tags: [], authorId: ada.id }]);
    const { headers } = await ada.onServer(second).get(`/questions/${questionId}`);
    expect(headers.get(positionHeader)).toMatch(/^\S{10,200}$/);
    expect(nodes.map((node) => node.output()).join('')).not.toContain('cannot read the event stream');
  } finally {
    for (const node of nodes) node.signal('SIGTERM');
    await Promise.all(nodes.map((node) => node.ended));
  }
});

test('the events of eight late-committing writers are published once and in order while 350 transactions are open', async () => {
  expect(await expectEachOnceInOrder({ db, connection: embedded.connection })).toEqual({
    restarts: 3,
    gaps: 0,
  });
});

test('the events of long transactions are published once, as each of them commits', async () => {
  const { stream, on } = await startFollowingNode({ db, connection: embedded.connection });
  const committing = sessions.filter((_, number) => number % 2 === 0).slice(0, 60);
  const numbers = committing.map((_, number) => number);
  const append = `insert into event (topic, event) values ('question:900', $1)`;
  for (const [views, client] of committing.entries())
    await client.query(append, [JSON.stringify({ kind: 'viewed', views })]);
  // The first poll may have started before the commit, the second starts after it.
  for (let look = 0; look < 2; look++) {
    const last = stream.position();
    await eventually(() => stream.position() !== last);
  }
  expect(on('question:900')).toEqual([]);
  for (const client of committing) await client.query('commit');
  const views = () => on('question:900').map((event) => (event.kind === 'viewed' ? event.views : Number.NaN));
  await eventually(() => views().length >= numbers.length);
  expect(views().toSorted((a, b) => a - b)).toEqual(numbers);
});
