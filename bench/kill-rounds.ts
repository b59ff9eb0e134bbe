import { median } from './measure/results.ts';
import path from 'node:path';
import { runKillRounds } from '#tests/support/kill-rounds.ts';
import { withTemporaryDirectory } from '#tests/support/temporary-parley.ts';
import { answerHelp, readCount } from './usage.ts';

const usage = `bench/kill-rounds.ts [rounds (200)] [seed]

Repeatedly kills Parley, PostgreSQL, one of its connections, or both, in the middle of writes. After each kill, checks
that no acknowledged write is lost and no member saw private data of others.`;

answerHelp(usage);
const [rounds = '200', seed = String((Date.now() % 1_000_000) + 1)] = process.argv.slice(2);
const count = readCount(rounds, usage);
const randomSeed = readCount(seed, usage);
console.log(`Seed ${seed}`);
await withTemporaryDirectory(async (directory) => {
  const figures = await runKillRounds({
    data: path.join(directory, 'data'),
    rounds: count,
    seed: randomSeed,
    log: console.log,
  });
  const { acknowledged, repeated, refused, brokenConnections, privateReads, recoveries } = figures;
  console.log(
    `\n${rounds} rounds: ${acknowledged} acknowledged writes, ${repeated} of them retried with the same key; ` +
      `${refused} requests refused temporarily, ${brokenConnections} connections broken, ${privateReads} reads of private pages. ` +
      'Nothing lost or doubled, every count correct, no private data shown to others.',
  );
  for (const [victim, times] of Object.entries(recoveries)) {
    const sorted = times.toSorted((a, b) => a - b);
    console.log(
      `${victim}: recovered in ${median(times)} ms (median of ${sorted.length}; ${sorted[0]} to ${sorted.at(-1)})`,
    );
  }
});
