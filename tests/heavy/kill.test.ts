import { expect, test } from 'vitest';
import { runKillRounds, killTargets } from '#tests/support/kill-rounds.ts';
import { createPreparedDataDirectory } from '#tests/support/parley.ts';

// `bench/kill-rounds.ts` runs two hundred of these rounds.
test('no acknowledged write is lost, doubled or shown to other members when Parley, PostgreSQL or both are killed', async () => {
  const figures = await runKillRounds({
    data: await createPreparedDataDirectory(),
    rounds: killTargets.length,
  });
  expect(figures.privateReads).toBeGreaterThan(20);
  expect(figures.acknowledged).toBeGreaterThan(20);
});
