import { expect, test } from 'vitest';
import { killRounds, victims } from './testing/kill-rounds.ts';
import { servedDataFolder } from './testing/parley.ts';

// `bench/kill-rounds.ts` does this two hundred times.
test('nothing acknowledged is lost, and nothing is there twice or shown to others, when Parley, PostgreSQL or both are killed', async () => {
  const figures = await killRounds({ data: await servedDataFolder(), rounds: victims.length });
  expect(figures.looks).toBeGreaterThan(20);
  expect(figures.acknowledged).toBeGreaterThan(20);
});
