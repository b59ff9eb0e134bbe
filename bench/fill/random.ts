/** Numbers that look random and are the same for the same seed: mulberry32 (Tommy Ettinger, public domain). */
export type Random = {
  /** From 0 up to but not 1. */
  next(): number;
  /** A whole number from 0 up to but not `end`. */
  below(end: number): number;
  /** True that often. */
  chance(share: number): boolean;
  /** One of a list that is not empty. */
  of<Item>(items: readonly Item[]): Item;
};

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    next,
    below,
    chance: (share) => next() < share,
    of: (items) => items[below(items.length)] as (typeof items)[number],
  };
}

/**
 * Ranks from 0 up to but not `count`, drawn so that the share of a rank falls with `1 / (rank + 1) ** exponent`: Zipf's
 * law, by which the use of tags and the zeal of members are spread on real sites. `exponent` is not 1.
 */
export function zipf(random: Random, count: number, exponent: number): () => number {
  const power = 1 - exponent;
  const whole = (count + 1) ** power - 1;
  return () => Math.min(count - 1, Math.floor((1 + random.next() * whole) ** (1 / power)) - 1);
}

/** Spreads ranks over ids so that the busiest are not the oldest: the same place for the same rank, no two alike. */
export function scatter(count: number): (rank: number) => number {
  let step = Math.max(1, Math.floor(count * 0.618));
  while (commonDivisor(step, count) !== 1) step++;
  return (rank) => (rank * step) % count;
}

function commonDivisor(one: number, other: number): number {
  return other === 0 ? one : commonDivisor(other, one % other);
}

/**
 * Draws how many of something a question has: most have few, some have very many (a Pareto tail), none more than `most`,
 * and `mean` on average.
 * @param share draws from 0 up to but not 1; the larger the more there are
 */
export function heavyTail({ mean, none, tail, most }: HeavyTail): (share: number) => number {
  if (mean === 0) return () => 0;
  // Pareto's law of index `tail`, cut at `most`, moved to begin at 0; its scale is what makes the mean right.
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
  /** The share that has none. */
  none: number;
  /** The smaller, the longer the tail. */
  tail: number;
  most: number;
};
