import path from 'node:path';
import { runKillRounds } from '#tests/support/kill-rounds.ts';
import { withTemporaryDirectory } from '#tests/support/temporary-parley.ts';

/**
 * Kills Parley, PostgreSQL, a connection of it, or both, in the middle of writes, again and again, and checks after each
 * that nothing acknowledged is lost and nobody saw what is somebody else's. Parameters: the number of rounds (200), a seed.
 */
const [rounds = '200', seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
console.log(`Seed ${seed}`);
await withTemporaryDirectory(async (folder) => {
  const figures = await runKillRounds({
    data: path.join(folder, 'data'),
    rounds: Number(rounds),
    seed: Number(seed),
    tell: console.log,
  });
  const { acknowledged, repeated, refused, broken, looks, recoveries } = figures;
  console.log(
    `\n${rounds} rounds: ${acknowledged} acknowledged writes, ${repeated} of them sent again with the same key; ` +
      `${refused} requests refused for the moment, ${broken} connections broken, ${looks} looks at what is one's own. ` +
      'Nothing lost, nothing twice, every count right, nobody saw what is not theirs.',
  );
  for (const [victim, times] of Object.entries(recoveries)) {
    const sorted = times.toSorted((a, b) => a - b);
    const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
    console.log(
      `${victim}: back after ${median} ms (median of ${sorted.length}; ${sorted[0]} to ${sorted.at(-1)})`,
    );
  }
});
