import { afterAll, expect, test } from 'vitest';
import { startTestServer } from '#tests/support/server.ts';
import { defaultPasswordCost } from './passwords.ts';

const server = await startTestServer({ hidesLoginReason: true, passwordCost: defaultPasswordCost });
afterAll(() => server.stop());

test('takes as much work for an unknown address as for a wrong password', async () => {
  const ann = await server.register('Ann');
  const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
  for (let round = 0; round < 9; round++) {
    await server.resetRateLimits();
    times.known.push(await costOf(ann.email));
    times.unknown.push(await costOf(`unknown${round}@example.org`));
  }
  // Without the hashing of the password, the ratio would be about a thirtieth.
  expect(median(times.unknown) / median(times.known)).toBeGreaterThan(0.4);
  expect(median(times.unknown) / median(times.known)).toBeLessThan(2.5);
});

/** Processor time of this process in microseconds: the time that passes also depends on other processes. */
async function costOf(email: string): Promise<number> {
  const start = process.cpuUsage();
  expect(await server.visitor().signIn(email, 'a wrong guess')).toMatchObject({ kind: 'wrong-credentials' });
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

const median = (numbers: readonly number[]) =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;
