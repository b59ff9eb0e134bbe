import type { PostKind } from '#shared/core/fields.ts';
import type { SpamEstimate } from '#shared/moderation/spam.ts';
import { findLinks } from './spam-rules.ts';

/** What the classifier knows of a post. */
export type ClassifiedPost = {
  kind: PostKind;
  text: string;
  /** Age of the author's account in hours when the post was written; null without an account. */
  accountHours: number | null;
  /** Visible posts of the author from before, up to `maxEarlierPosts`. */
  earlierPosts: number;
};

export const maxEarlierPosts = 10;

/** Characters of a text and features of a post that count. Spam says what it sells early. */
const limits = { text: 5_000, tokens: 200, word: 40, host: 90 } as const;

/** Learned posts of both kinds, spam and other, without which there is no estimate. */
export const minLearnedPosts = 20;

/** The feature that every post has. Its counts are the totals. */
export const totalsFeature = '';

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/** The features of a post: its words, linked domains, number of links, and the author's account. */
export function listSpamFeatures({ kind, text, accountHours, earlierPosts }: ClassifiedPost): string[] {
  const start = text.slice(0, limits.text);
  const links = findLinks(start, null);
  const words = [
    ...segmenter.segment(
      start
        .normalize('NFKC')
        .toLowerCase()
        .replaceAll(/https?:\S+/gu, ' '),
    ),
  ]
    .filter(({ isWordLike, segment }) => isWordLike === true && segment.length > 1)
    .map(({ segment }) => `word:${segment.slice(0, limits.word)}`);
  return [
    ...new Set([
      `kind:${kind}`,
      `links:${Math.min(links.length, 4)}`,
      ...(accountHours === null ? [] : [`account:${getAge(accountHours)}`]),
      `posts:${earlierPosts === 0 ? '0' : earlierPosts < 3 ? '1' : earlierPosts < maxEarlierPosts ? '3' : '10'}`,
      ...links.map(({ host }) => `domain:${host.slice(0, limits.host)}`),
      ...words,
    ]),
  ].slice(0, limits.tokens);
}

const getAge = (hours: number) =>
  hours < 1 ? 'hour' : hours < 24 ? 'day' : hours < 24 * 30 ? 'month' : 'older';

export type FeatureCounts = { spam: number; ham: number };

/** Features that decide an estimate, the strongest ones (P. Graham, 'A Plan for Spam', 2002). */
const decidingFeatures = 15;

/**
 * Estimates how probable it is that a post is spam: naive Bayes over its strongest features, with equal chances
 * beforehand. A feature seen in few posts counts less (G. Robinson, 'A Statistical Approach to the Spam Problem',
 * 2003). Returns null before `minLearnedPosts` of both kinds were learned.
 * @param counts of `totalsFeature` and the features; those without counts are unknown and left out
 */
export function estimateSpam(
  features: readonly string[],
  counts: ReadonlyMap<string, FeatureCounts>,
): SpamEstimate | null {
  const totals = counts.get(totalsFeature) ?? { spam: 0, ham: 0 };
  if (Math.min(totals.spam, totals.ham) < minLearnedPosts) return null;
  const strongest = features
    .flatMap((token) => {
      const count = counts.get(token);
      return count === undefined ? [] : [{ token, logOdds: getLogOdds(count, totals) }];
    })
    .toSorted((a, b) => Math.abs(b.logOdds) - Math.abs(a.logOdds))
    .slice(0, decidingFeatures);
  const sum = strongest.reduce((total, { logOdds }) => total + logOdds, 0);
  const percent = Math.min(99, Math.max(1, Math.round(100 / (1 + Math.exp(-sum)))));
  return {
    percent,
    tokens: strongest
      .filter(({ logOdds }) => (percent >= 50 ? logOdds > 0 : logOdds < 0))
      .slice(0, 5)
      .map(({ token }) => token),
  };
}

function getLogOdds({ spam, ham }: FeatureCounts, totals: FeatureCounts): number {
  const seen = spam + ham;
  const inSpam = spam / totals.spam;
  const share = seen === 0 ? 0.5 : inSpam / (inSpam + ham / totals.ham);
  const probability = (0.5 + seen * share) / (1 + seen);
  return Math.log(probability / (1 - probability));
}
