import { QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { cancelFetches } from './query-helpers.ts';

const key = ['tag', 'bread'];

/** A page that shows a topic and is being refetched. The test controls when the server responds. */
function newPage() {
  const client = new QueryClient();
  const answers: ((following: boolean) => void)[] = [];
  const fetch = () =>
    client.fetchQuery({
      queryKey: key,
      queryFn: ({ signal }) =>
        new Promise<boolean>((resolve, reject) => {
          answers.push(resolve);
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
      staleTime: 0,
    });
  return { client, answers, fetch, shown: () => client.getQueryData(key) };
}

test('keeps the optimistic change when a response was written before it', async () => {
  const { client, answers, fetch, shown } = newPage();
  client.setQueryData(key, false);
  const old = fetch();
  await cancelFetches(client, ({ queryKey }) => queryKey[0] === 'tag');
  client.setQueryData(key, true);
  answers[0]?.(false);
  await old.catch(() => {});
  expect(shown()).toBe(true);
});

test('refetches the cancelled query once the change is saved', async () => {
  const { client, fetch } = newPage();
  client.setQueryData(key, false);
  client.setQueryData(['member'], 'Ann');
  const old = fetch();
  const again = await cancelFetches(client, ({ queryKey }) => queryKey[0] === 'tag');
  await old.catch(() => {});
  await again();
  expect(client.getQueryState(key)?.isInvalidated).toBe(true);
  expect(client.getQueryState(['member'])?.isInvalidated).toBe(false);
});

test('lets a query without data continue', async () => {
  const { client, answers, fetch, shown } = newPage();
  const first = fetch();
  await cancelFetches(client, () => true);
  answers[0]?.(true);
  await first;
  expect(shown()).toBe(true);
});
