import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createTestDatabase } from '#tests/support/database.ts';
import { eventually } from '#tests/support/parley.ts';
import { openDatabase, transaction } from './database.ts';
import { type JobDefinition, startJobQueue } from './job-queue.ts';
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

test('gives the queue to a job that runs while the queue starts', async () => {
  const database = await createTestDatabase();
  const db = openDatabase({ connection: database.connection, maxConnections: 1 });
  let followed = false;
  const start = (kinds: JobDefinition[]) =>
    startJobQueue({
      connection: database.connection,
      log: pino({ enabled: false }),
      kinds,
      pollSeconds: 0.5,
    });
  const rules = {
    retries: { limit: 0, delaySeconds: 1, maxDelaySeconds: 1 },
    timeoutSeconds: 60,
    concurrency: 1,
  };
  const first: JobDefinition = {
    ...rules,
    name: 'first',
    run: (_data, _attempt, queue) =>
      transaction(db, (tx) => queue.enqueue(tx, 'second', { key: 'one', data: {} })),
  };
  const second: JobDefinition = { ...rules, name: 'second', run: async () => void (followed = true) };
  // A node that is killed leaves a job.
  const killed = await start([{ ...first, concurrency: 0 }]);
  await transaction(db, (tx) => killed.enqueue(tx, 'first', { key: 'one', data: {} }));
  await killed.stop();
  // Queues that take their time, before that of the job that is added.
  const others = Array.from({ length: 20 }, (_, n) => ({ ...second, name: `other-${n}` }));
  const queue = await start([first, ...others, second]);
  await eventually(() => followed || (queue.failures().get('first') ?? 0) > 0);
  await queue.stop();
  await db.destroy();
  await database.drop();
  expect(followed).toBe(true);
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
