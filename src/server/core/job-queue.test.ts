import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createTestDatabase } from '#tests/support/database.ts';
import { eventually } from '#tests/support/parley.ts';
import { openDatabase, transaction } from './database.ts';
import { startJobQueue } from './job-queue.ts';
import { describeError } from './log.ts';

test('runs all waiting jobs without a pause after each', async () => {
  const database = await createTestDatabase();
  const db = openDatabase({ connection: database.connection, maxConnections: 1 });
  const done: string[] = [];
  const queue = await startJobQueue({
    connection: database.connection,
    log: pino({ enabled: false }),
    kinds: [
      {
        name: 'quick',
        retries: { limit: 1, delaySeconds: 60, maxDelaySeconds: 60 },
        timeoutSeconds: 60,
        concurrency: 2,
        run: async ({ key }: { key?: string }) => void done.push(key ?? ''),
      },
    ],
    // With a pause after each job, the test would take too long.
    pollSeconds: 10,
  });
  const keys = Array.from({ length: 60 }, (_, n) => `job ${n}`);
  await transaction(db, async (tx) => {
    for (const key of keys) await queue.enqueue(tx, 'quick', { key, data: { key } });
  });
  await eventually(() => done.length === keys.length);
  await queue.stop();
  await db.destroy();
  await database.drop();
  expect(done.toSorted()).toEqual(keys.toSorted());
});

test('logs why a job failed, with the stack and without addresses', async () => {
  const database = await createTestDatabase();
  const db = openDatabase({ connection: database.connection, maxConnections: 1 });
  const lines: string[] = [];
  const queue = await startJobQueue({
    connection: database.connection,
    log: pino({ serializers: { err: describeError } }, { write: (line: string) => void lines.push(line) }),
    kinds: [
      {
        name: 'failing',
        retries: { limit: 1, delaySeconds: 60, maxDelaySeconds: 60 },
        timeoutSeconds: 60,
        concurrency: 1,
        run: () => Promise.reject(new Error('mailbox ada@example.org is full')),
      },
    ],
    pollSeconds: 0.5,
  });
  await transaction(db, (tx) => queue.enqueue(tx, 'failing', { key: 'one', data: {} }));
  await eventually(() => queue.failures().get('failing') === 1);
  await queue.stop();
  await db.destroy();
  await database.drop();
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({
      msg: "A job of the kind 'failing' failed and will be retried.",
      err: {
        type: 'Error',
        message: 'mailbox (an address) is full',
        stack: expect.stringContaining('job-queue.test.ts'),
      },
    }),
  ]);
});
