import { expect, test } from 'vitest';
import { createRanking, quoteLexeme, type Term } from './ranking.ts';

function word(name: string, questions: number, used = 1): Term {
  const match = quoteLexeme(name);
  return { match, lexemes: match, longer: null, questions, most: questions, used };
}

const wordsOf = (words: readonly Term[], total: number) =>
  createRanking(words, total)?.terms.map(({ match }) => match);

test('weights a rare word more than a common one, and a word used often more than a word used once', () => {
  expect(wordsOf([word('beer', 800), word('lambic', 3), word('foam', 3, 4)], 1000)).toEqual([
    "'foam'",
    "'lambic'",
    "'beer'",
  ]);
});

test('selects questions with a rare word, or with two common ones', () => {
  const words = [word('flexbox', 100), word('css', 50_000), word('footer', 3000), word('html', 4000)];
  expect(createRanking(words, 10_000_000)?.some).toBe(
    "'flexbox' | ('footer' & 'html') | ('footer' & 'css') | ('html' & 'css')",
  );
});

test('selects no pairs of two very common words, all questions of which the index would read', () => {
  const words = [word('flexbox', 100), word('css', 50_000), word('footer', 3000), word('html', 20_000)];
  expect(createRanking(words, 10_000_000)?.some).toBe("'flexbox' | ('footer' & 'html') | ('footer' & 'css')");
});

test('selects questions with the best words together if all are common', () => {
  expect(createRanking([word('javascript', 300_000), word('array', 200_000)], 1_000_000)?.some).toBe(
    "'array' & 'javascript'",
  );
});

test('requires words that no question has, but does not select by them', () => {
  const ranking = createRanking([word('unknown', 0), word('beer', 3)], 1000);
  expect(ranking).toMatchObject({ all: "'unknown' & 'beer'", some: "'beer'", atMost: 0 });
  expect(createRanking([], 0)).toBeNull();
});

test('compares at most 48 words', () => {
  expect(
    wordsOf(
      Array.from({ length: 200 }, (_, n) => word(`word${n}`, 1)),
      1000,
    ),
  ).toHaveLength(48);
});

test('quotes a word with quotes or backslashes as one word of the query', () => {
  expect(quoteLexeme("it's\\")).toBe(String.raw`'it''s\\'`);
});
