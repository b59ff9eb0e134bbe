import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase, transaction } from '#server/core/database.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { toDatabaseUrl } from '#tests/support/database-url.ts';
import { LiveSocket } from '#tests/support/live-socket.ts';
import { type Member, register } from '#tests/support/member.ts';
import { eventually, startParley } from '#tests/support/parley.ts';
import { pgBouncerPath, type Pooler, startPgBouncer } from '#tests/support/pgbouncer.ts';
import { withTemporaryParley } from '#tests/support/temporary-parley.ts';

if (pgBouncerPath === undefined)
  console.error('NOT RUN: PgBouncer, because it is not installed (Debian: pgbouncer).');

const ignoring = 'ignore_startup_parameters = options,statement_timeout,idle_in_transaction_session_timeout';

describe.skipIf(pgBouncerPath === undefined)('behind PgBouncer', () => {
  let database: TestDatabase;
  let pooler: Pooler | undefined;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => {
    await pooler?.end();
    await database.drop();
  });

  async function start(settings: string): Promise<string> {
    pooler = await startPgBouncer(database.connection, settings);
    return pooler.url;
  }

  test.each([
    ['in transaction mode', `pool_mode = transaction\n${ignoring}`],
    ['in statement mode', `pool_mode = statement\n${ignoring}`],
    ['in transaction mode that refuses settings', 'pool_mode = transaction'],
    ['in session mode that refuses settings', 'pool_mode = session'],
  ])('%s, Parley refuses to start and says in one sentence what to set', async (_, settings) => {
    const parley = startParley({ env: { DATABASE_URL: await start(settings), LOG_LEVEL: 'info' } });
    expect(await parley.ended).toBe(1);
    expect(parley.output()).toContain('DATABASE_DIRECT_URL');
    expect(parley.output().trim().split('\n')).toHaveLength(1);
  });

  test('in session mode, Parley works as without PgBouncer', async () => {
    const url = await start(`pool_mode = session\ndefault_pool_size = 40\n${ignoring}`);
    await withTemporaryParley({ env: { DATABASE_URL: url, LOG_LEVEL: 'info' } }, async (address) => {
      const ada = await register(address, 'Ada');
      expect(await ada.ask()).toBeGreaterThan(0);
    });
  });

  test('in transaction mode, two nodes with DATABASE_DIRECT_URL serve many members and exchange events', async () => {
    const env = {
      DATABASE_URL: await start('pool_mode = transaction'),
      DATABASE_DIRECT_URL: toDatabaseUrl(database.connection),
      LOG_LEVEL: 'info',
    };
    await withTemporaryParley({ env, cheapPasswords: true }, (here, first) =>
      withTemporaryParley({ env, cheapPasswords: true }, async (there, second) => {
        const members: Member[] = [];
        // One after the other: a node may refuse twelve visitors who register at the same time, on a busy machine.
        for (let number = 0; number < 12; number++)
          members.push(await register(number % 2 === 0 ? here : there, `Member ${number}`));
        const [ada, ben] = members;
        if (ada === undefined || ben === undefined) throw new Error('no member was created');
        const socket = await LiveSocket.open(ben, 'feeds');
        const questionId = await ada.ask();
        const { id: answerId } = await ben.answer(questionId);
        // Often enough for statements to be prepared.
        for (let round = 0; round < 12; round++)
          await Promise.all(
            members.map(async (member) => {
              const vote = await member.put(`/answers/${answerId}/vote`, {
                vote: round % 2 === 0 ? 'up' : 'down',
              });
              expect(vote.status).toBe(200);
              expect((await member.get(`/questions/${questionId}`)).status).toBe(200);
            }),
          );
        await eventually(() => socket.events.some(({ kind }) => kind === 'question-posted'));
        for (const parley of [first, second]) expect(parley.output()).not.toMatch(/"level":[56]0/);
      }),
    );
  });

  test('in transaction mode, each statement has its settings, and a failed one does not affect the next', async () => {
    const connection = { connectionString: await start('pool_mode = transaction') };
    const db = openDatabase({ connection, isPooled: true });
    try {
      const settings = sql<{ time: string; scans: string }>`
        select current_setting('statement_timeout') as time, current_setting('enable_seqscan') as scans`;
      const own = [{ time: '15s', scans: 'off' }];
      await Promise.all(
        Array.from({ length: 20 }, async (_, number) => {
          expect((await settings.execute(db)).rows).toEqual(own);
          await expect(sql`select 1 / ${number - number}::int`.execute(db)).rejects.toThrow(
            'division by zero',
          );
          await transaction(db, async (tx) => expect((await settings.execute(tx)).rows).toEqual(own));
          expect((await settings.execute(db)).rows).toEqual(own);
        }),
      );
    } finally {
      await db.destroy();
    }
  });

  test('a DATABASE_DIRECT_URL of another database or of the pooler is rejected', async () => {
    const other = await createTestDatabase();
    try {
      const url = await start('pool_mode = transaction');
      for (const direct of [toDatabaseUrl(other.connection), url]) {
        const parley = startParley({
          env: { DATABASE_URL: url, DATABASE_DIRECT_URL: direct, LOG_LEVEL: 'info' },
        });
        expect(await parley.ended).toBe(1);
        expect(parley.output()).toContain('DATABASE_DIRECT_URL');
        expect(parley.output().trim().split('\n')).toHaveLength(1);
      }
    } finally {
      await other.drop();
    }
  });
});
