import { expect, test } from 'vitest';
import { buildSimilarityQuery } from './similar-weights.ts';

const word = (name: string, questions: number, used = 1) => ({ word: name, questions, used });

test('weights a rare word more than a common one, and a word used often more than a word used once', () => {
  const { weighed } =
    buildSimilarityQuery([word('beer', 800), word('lambic', 3), word('foam', 3, 4)], 1000) ?? {};
  expect(weighed?.map(({ query }) => query)).toEqual(["'foam'", "'lambic'", "'beer'"]);
  expect(weighed?.map(({ weight }) => weight)).toEqual(
    weighed?.map(({ weight }) => weight).toSorted((a, b) => b - a),
  );
});

test('ranks words of nearly equal weight together', () => {
  const { weighed } =
    buildSimilarityQuery([word('lambic', 10), word('gueuze', 10), word('beer', 800)], 1000) ?? {};
  expect(weighed?.map(({ query }) => query)).toEqual(["'gueuze' | 'lambic'", "'beer'"]);
});

test('selects candidates with a rare word, or with two common ones', () => {
  const words = [word('flexbox', 100), word('css', 50_000), word('footer', 9000), word('html', 20_000)];
  expect(buildSimilarityQuery(words, 10_000_000)?.candidates).toBe(
    "'flexbox' | ('footer' & 'html') | ('footer' & 'css')",
  );
});

test('selects candidates with the best words together if all are common', () => {
  expect(
    buildSimilarityQuery([word('javascript', 300_000), word('array', 200_000)], 1_000_000)?.candidates,
  ).toBe("('array' & 'javascript')");
});

test('compares at most 32 words, and leaves out those that no question has', () => {
  const many = Array.from({ length: 200 }, (_, n) => word(`word${n}`, n % 2));
  const { weighed } = buildSimilarityQuery(many, 1000) ?? {};
  expect(weighed?.flatMap(({ query }) => query.split(' | '))).toHaveLength(32);
  expect(buildSimilarityQuery([word('unknown', 0)], 1000)).toBeNull();
  expect(buildSimilarityQuery([], 0)).toBeNull();
});

test('quotes a word with quotes or backslashes as one word of the query', () => {
  expect(buildSimilarityQuery([word("it's\\", 1)], 10)?.candidates).toBe(String.raw`'it''s\\'`);
});
