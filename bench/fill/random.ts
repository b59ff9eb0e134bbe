import { createSeededRandom } from '#tests/support/seeded-random.ts';

/** Pseudorandom numbers, the same for the same seed. */
export type Random = {
  /** In [0, 1). */
  next(): number;
  /** An integer in [0, `end`). */
  below(end: number): number;
  /** True with probability `share`. */
  chance(share: number): boolean;
  /** An item of a list that is not empty. */
  of<Item>(items: readonly Item[]): Item;
};

export function createRandom(seed: number): Random {
  const next = createSeededRandom(seed);
  const below = (end: number) => Math.floor(next() * end);
  return {
    next,
    below,
    chance: (share) => next() < share,
    of: (items) => items[below(items.length)] as (typeof items)[number],
  };
}

/**
 * Draws ranks in [0, `count`), where the frequency of a rank is proportional to `1 / (rank + 1) **
 * exponent`: Zipf's law, as for the use of tags and the activity of members on real sites. `exponent` is not 1.
 */
export function zipf(random: Random, count: number, exponent: number): () => number {
  const power = 1 - exponent;
  const whole = (count + 1) ** power - 1;
  return () => Math.min(count - 1, Math.floor((1 + random.next() * whole) ** (1 / power)) - 1);
}

/** Maps ranks to ids so that the busiest are not the oldest: a fixed permutation. */
export function scatter(count: number): (rank: number) => number {
  let step = Math.max(1, Math.floor(count * 0.618));
  while (commonDivisor(step, count) !== 1) step++;
  return (rank) => (rank * step) % count;
}

function commonDivisor(one: number, other: number): number {
  return other === 0 ? one : commonDivisor(other, one % other);
}

/**
 * Draws the number of items of a question from a Pareto distribution: most have few, some have very many, none more
 * than `most`, and `mean` on average.
 * @param share in [0, 1); a larger share gives more items
 */
export function heavyTail({ mean, none, tail, most }: HeavyTail): (share: number) => number {
  if (mean === 0) return () => 0;
  // A Pareto distribution of index `tail`, truncated at `most` and shifted to start at 0; its scale gives the mean.
  const at = (scale: number, share: number) =>
    share < none
      ? 0
      : Math.min(most, Math.floor(scale * ((1 - (share - none) / (1 - none)) ** (-1 / tail) - 1)) + 1);
  const meanOf = (scale: number) => {
    const steps = 100_000;
    let sum = 0;
    for (let step = 0; step < steps; step++) sum += at(scale, (step + 0.5) / steps);
    return sum / steps;
  };
  let [low, high] = [0, mean * 10];
  for (let round = 0; round < 30; round++) {
    const middle = (low + high) / 2;
    if (meanOf(middle) < mean) low = middle;
    else high = middle;
  }
  return (share) => at(high, share);
}

export type HeavyTail = {
  mean: number;
  /** The share of questions without any. */
  none: number;
  /** A smaller value gives a longer tail. */
  tail: number;
  most: number;
};
