import { expect, test } from 'vitest';
import { runKillRounds, killTargets } from '#tests/support/kill-rounds.ts';
import { createPreparedDataDirectory } from '#tests/support/parley.ts';

// `bench/kill-rounds.ts` does this two hundred times.
test('nothing acknowledged is lost, and nothing is there twice or shown to others, when Parley, PostgreSQL or both are killed', async () => {
  const figures = await runKillRounds({
    data: await createPreparedDataDirectory(),
    rounds: killTargets.length,
  });
  expect(figures.looks).toBeGreaterThan(20);
  expect(figures.acknowledged).toBeGreaterThan(20);
});
