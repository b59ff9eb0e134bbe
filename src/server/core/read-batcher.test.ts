import { expect, test } from 'vitest';
import type { Reader } from './database.ts';
import { createReadBatcher } from './read-batcher.ts';

/** A batcher whose statements end when the test says so. Each returns the items times ten. */
function startBatcher(maxBatchSize = 10) {
  const batches: { db: Reader; items: readonly number[]; end: (error?: Error) => void }[] = [];
  const read = createReadBatcher<number, number>({
    maxBatchSize,
    readBatch: (db, items) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) =>
          error === undefined ? resolve(items.map((item) => item * 10)) : reject(error);
        batches.push({ db, items, end });
      }),
  });
  return { read, batches, itemsOfBatches: () => batches.map(({ items }) => items) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const primary = {} as Reader;
const replica = {} as Reader;

test('runs two statements at a time and combines the reads that arrive meanwhile', async () => {
  const { read, batches, itemsOfBatches } = startBatcher(3);
  const results = [];
  for (const item of [1, 2]) {
    results.push(read(primary, item));
    await turn();
  }
  for (const item of [3, 4, 5, 6]) results.push(read(primary, item));
  await turn();
  expect(itemsOfBatches()).toEqual([[1], [2]]);
  batches[1]?.end();
  await expect.poll(itemsOfBatches).toEqual([[1], [2], [3, 4, 5]]);
  batches[0]?.end();
  await expect.poll(itemsOfBatches).toEqual([[1], [2], [3, 4, 5], [6]]);
  for (const { end } of batches) end();
  expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50, 60]);
});

test('reads once what several callers wait for, and again after the statement began', async () => {
  const { read, batches, itemsOfBatches } = startBatcher();
  const results = [read(primary, 1), read(primary, 1), read(primary, 2)];
  await turn();
  results.push(read(primary, 1));
  await turn();
  results.push(read(primary, 2), read(primary, 2));
  expect(itemsOfBatches()).toEqual([[1, 2], [1]]);
  batches[0]?.end();
  await expect.poll(itemsOfBatches).toEqual([[1, 2], [1], [2]]);
  for (const { end } of batches) end();
  expect(await Promise.all(results)).toEqual([10, 10, 20, 10, 20, 20]);
});

test('combines no reads of different databases', async () => {
  const { read, batches } = startBatcher();
  const results = [read(primary, 1), read(replica, 2), read(primary, 3)];
  await turn();
  expect(batches.map(({ db, items }) => ({ isPrimary: db === primary, items }))).toEqual([
    { isPrimary: true, items: [1, 3] },
    { isPrimary: false, items: [2] },
  ]);
  for (const { end } of batches) end();
  expect(await Promise.all(results)).toEqual([10, 20, 30]);
});

test('a failure affects the reads of its statement only', async () => {
  const { read, batches } = startBatcher(2);
  const results = [1, 2, 3].map((item) => read(primary, item));
  await turn();
  await turn();
  batches[0]?.end(new Error('lost'));
  batches[1]?.end();
  expect(await Promise.allSettled(results)).toMatchObject([
    { status: 'rejected', reason: { message: 'lost' } },
    { status: 'rejected', reason: { message: 'lost' } },
    { status: 'fulfilled', value: 30 },
  ]);
});
