import { createSeededRandom } from '#tests/support/seeded-random.ts';
import {
  type LoadedCommunity,
  sumFigures,
  startCommunity,
  stopCommunity,
} from '#tests/support/under-load.ts';

/** Runs faults in a new community and summarizes the load. The message of a failure contains the log. */
export async function runFault(
  options: { data: string; env?: NodeJS.ProcessEnv },
  work: (community: LoadedCommunity) => Promise<string>,
): Promise<string> {
  const community = await startCommunity({ ...options, random: createSeededRandom(1) });
  try {
    const summary = await work(community);
    const { acknowledged, repeated, refused, brokenConnections, privateReads } = sumFigures(community);
    return (
      `${summary} ${acknowledged} acknowledged writes (${repeated} retried), ${refused} requests refused, ` +
      `${brokenConnections} broken, ${privateReads} reads of private pages: nothing lost or doubled, every count correct, no private data shown to others.`
    );
  } catch (error) {
    throw new Error(community.parley.output().slice(-6_000), { cause: error });
  } finally {
    await stopCommunity(community);
  }
}

/** Such as '812 ms (620 to 1,530)'. */
export function formatSpread(times: readonly number[]): string {
  const sorted = times.toSorted((one, other) => one - other);
  const [median = Number.NaN, least = Number.NaN, most = Number.NaN] = [
    sorted[Math.floor(sorted.length / 2)],
    sorted[0],
    sorted.at(-1),
  ];
  const [shown, ...ends] = [median, least, most].map((time) => time.toLocaleString('en'));
  return sorted.length === 1
    ? `${shown} ms`
    : `${shown} ms (median of ${sorted.length}; ${ends.join(' to ')})`;
}
