/**
 * A count as it is shown: numbers over 999 read '1.2k', over 999,999 '1.2M'. Never rounded up, so that 1,999 does not
 * read '2k' before it is.
 */
export function shortCount(count: number): string {
  if (count < 1000) return String(count);
  const [unit, suffix] = count < 1_000_000 ? [1000, 'k'] : [1_000_000, 'M'];
  const value = count / unit;
  const shown = value < 100 ? Math.floor(value * 10) / 10 : Math.floor(value);
  return `${shown}${suffix}`;
}

/** '1 answer', '2 answers', '1.2k answers'. */
export function countOf(count: number, singular: string, plural = `${singular}s`): string {
  return `${shortCount(count)} ${count === 1 ? singular : plural}`;
}
