import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createTestDatabase } from '#tests/support/database.ts';
import { eventually } from '#tests/support/parley.ts';
import { openDatabase, transaction } from './database.ts';
import { startJobQueue } from './job-queue.ts';
import { describeError } from './log.ts';

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
