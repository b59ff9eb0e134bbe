import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { limitTerms, type TermKind, termLimits } from './search-term-limits.ts';
import {
  isOperator,
  getSearchKind,
  parseSearch,
  type Term,
  resolveMoment,
  removeTerm,
} from './search-query.ts';

/** Returns the terms without their positions. */
const terms = (query: string): Term[] =>
  parseSearch(query).map((parsed) => {
    const { source, start, end, ...term } = parsed;
    expect(query.slice(start, end)).toBe(source);
    return term;
  });
const word = (text: string) => ({ kind: 'word', text, excluded: false });

describe('parses an operator', () => {
  test.each<[string, Term]>([
    ['[rust]', { kind: 'tag', tag: 'rust', excluded: false }],
    ['[ two  words ]', { kind: 'tag', tag: 'two words', excluded: false }],
    ['-[rust]', { kind: 'tag', tag: 'rust', excluded: true }],
    ['tag:c++', { kind: 'tag', tag: 'c++', excluded: false }],
    ['TAG:"two words"', { kind: 'tag', tag: 'two words', excluded: false }],
    ['user:me', { kind: 'user', user: 'me', excluded: false }],
    ['user:"Bob Marley"', { kind: 'user', user: 'Bob Marley', excluded: false }],
    ['user:"2024"', { kind: 'user', user: '2024', isName: true, excluded: false }],
    ['-user:"Me"', { kind: 'user', user: 'Me', isName: true, excluded: true }],
    ['user:@bob', { kind: 'user', user: 'bob', excluded: false }],
    ['-user:12', { kind: 'user', user: '12', excluded: true }],
    ['is:unanswered', { kind: 'is', is: 'unanswered' }],
    ['is:q', { kind: 'is', is: 'question' }],
    ['score:5', { kind: 'number', field: 'score', from: 5, to: null }],
    ['score:3..10', { kind: 'number', field: 'score', from: 3, to: 10 }],
    ['score:10..3', { kind: 'number', field: 'score', from: 3, to: 10 }],
    ['score:..-1', { kind: 'number', field: 'score', from: null, to: -1 }],
    ['score:>5', { kind: 'number', field: 'score', from: 6, to: null }],
    ['answers:0', { kind: 'number', field: 'answers', from: 0, to: 0 }],
    ['answers:2', { kind: 'number', field: 'answers', from: 2, to: null }],
    ['views:<=100', { kind: 'number', field: 'views', from: null, to: 100 }],
    ['"silicon valley"', { kind: 'phrase', text: 'silicon valley', excluded: false }],
    ['“silicon valley”', { kind: 'phrase', text: 'silicon valley', excluded: false }],
    [
      'created:2024',
      { kind: 'created', from: { at: '2024-01-01T00:00:00.000Z' }, to: { at: '2025-01-01T00:00:00.000Z' } },
    ],
    ['created:2024-12..', { kind: 'created', from: { at: '2024-12-01T00:00:00.000Z' }, to: null }],
    ['created:..2024-02-29', { kind: 'created', from: null, to: { at: '2024-03-01T00:00:00.000Z' } }],
    ['created:1w', { kind: 'created', from: { ago: 1, unit: 'w' }, to: null }],
    ['created:2y..6m', { kind: 'created', from: { ago: 2, unit: 'y' }, to: { ago: 6, unit: 'm' } }],
  ])('%s', (query, term) => {
    expect(terms(query)).toEqual([term]);
  });

  test('in any number, with words or without, and with excluded words', () => {
    expect(terms('[c#][sql] fast -slow -"very slow" joins')).toEqual([
      { kind: 'tag', tag: 'c#', excluded: false },
      { kind: 'tag', tag: 'sql', excluded: false },
      word('fast'),
      { kind: 'word', text: 'slow', excluded: true },
      { kind: 'phrase', text: 'very slow', excluded: true },
      word('joins'),
    ]);
  });
});

describe('parses plain text as words', () => {
  test.each([
    'silicon valley',
    'c++',
    'C:\\Windows',
    'std::vector',
    'node:fs',
    'https://example.org/a?b=c',
    'a:* b',
    'this: that',
    'a[0]',
    '[]',
    '"',
    '""',
    '5" screw',
    'say "hi',
    'rm -5 --force -',
    `[${'x'.repeat(36)}]`,
  ])('%s', (query) => {
    expect(terms(query)).toEqual(query.split(' ').map(word));
  });
});

describe('parses an invalid operator as words, and reports the reason', () => {
  test.each([
    ['scroe:5', 'unknown-operator'],
    ['usr:bob', 'unknown-operator'],
    ['author:bob', 'unknown-operator'],
    ['is:fun', 'broken-value'],
    ['score:many', 'broken-value'],
    ['score:..', 'broken-value'],
    ['created:2024-02-30', 'broken-value'],
    ['created:yesterday', 'broken-value'],
    ['-score:5', 'broken-value'],
    ['-webkit', 'only-exclusions'],
    ['-"a b"', 'only-exclusions'],
  ])('%s: %s', (query, problem) => {
    expect(terms(query)).toEqual([{ ...word(query), problem }]);
  });
});

test('parses every text into terms in order, with only spaces between them', () => {
  const part = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '[',
      ']',
      '"',
      '-',
      ':',
      '..',
      'is:',
      'score:',
      'tag:',
      'user:',
      'created:',
      '-[',
      ' ',
      '2024',
      '1w',
      '5',
    ),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
      const query = parts.join('');
      let at = 0;
      for (const { source, start, end } of parseSearch(query)) {
        expect(query.slice(at, start).trim()).toBe('');
        expect(source).toBe(query.slice(start, end));
        expect(source.trim()).not.toBe('');
        at = end;
      }
      expect(query.slice(at).trim()).toBe('');
      expect(getSearchKind(parseSearch(query)) ?? 'questions').toMatch(/^(?:questions|answers)$/);
      const moments = parseSearch(query).flatMap((term) =>
        term.kind === 'created' ? [term.from, term.to] : [],
      );
      for (const moment of moments.filter((end) => end !== null))
        expect(resolveMoment(moment, new Date()).getTime()).not.toBeNaN();
    }),
    { numRuns: 500 },
  );
});

test('parses letters and digits as words only', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z0-9]+$/), { minLength: 1 }), (words) => {
      expect(parseSearch(words.join(' ')).some(isOperator)).toBe(false);
    }),
  );
});

test('removes a term from a query', () => {
  const query = 'fast  [sql] joins';
  const tag = parseSearch(query).find(({ kind }) => kind === 'tag');
  expect(tag && removeTerm(query, tag)).toBe('fast joins');
});

test('counts a past date from now', () => {
  const now = new Date('2026-03-31T12:00:00Z');
  const before = (ago: number, unit: 'h' | 'd' | 'w' | 'm' | 'y') =>
    resolveMoment({ ago, unit }, now).toISOString();
  expect(before(5, 'h')).toBe('2026-03-31T07:00:00.000Z');
  expect(before(1, 'd')).toBe('2026-03-30T12:00:00.000Z');
  expect(before(2, 'w')).toBe('2026-03-17T12:00:00.000Z');
  expect(before(1, 'y')).toBe('2025-03-31T12:00:00.000Z');
});

test.each([
  ['2026-03-31', 1, 'm', '2026-02-28'],
  ['2024-03-31', 1, 'm', '2024-02-29'],
  ['2026-05-31', 1, 'm', '2026-04-30'],
  ['2026-05-31', 2, 'm', '2026-03-31'],
  ['2026-01-31', 14, 'm', '2024-11-30'],
  ['2024-02-29', 1, 'y', '2023-02-28'],
  ['2024-02-29', 4, 'y', '2020-02-29'],
] as const)('on %s, %i%s ago is %s: the last day of a shorter month', (today, ago, unit, day) => {
  const now = new Date(`${today}T12:00:00Z`);
  expect(resolveMoment({ ago, unit }, now).toISOString()).toBe(`${day}T12:00:00.000Z`);
});

describe('limits the number of terms', () => {
  const searched = (query: string) => limitTerms(parseSearch(query));
  const many = (count: number, each: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => each(index)).join(' ');

  test.each<[TermKind, (index: number) => string]>([
    ['words', (index) => `word${index}`],
    ['phrases', (index) => `"two words${index}"`],
    ['exclusions', (index) => `-word${index}`],
    ['conditions', (index) => `[tag${index}]`],
  ])('searches for the first %s up to the limit, and reports that there are more', (kind, each) => {
    const most = termLimits[kind];
    const beside = kind === 'words' ? '[rust]' : 'rust';
    const asMany = searched(`${beside} ${many(most, each)}`);
    expect(asMany.terms).toHaveLength(most + 1);
    expect(asMany.exceeded).toEqual([]);
    const tooMany = searched(`${beside} ${many(most + 1, each)}`);
    expect(tooMany.terms).toEqual(asMany.terms);
    expect(tooMany.exceeded).toEqual([kind]);
  });

  test('counts a repeated operator once, without case', () => {
    const { terms: remaining, exceeded } = searched(
      `bread ${many(30, () => '"Rye Bread" "rye bread" -[A] tag:b [b]')}`,
    );
    expect(remaining.map(({ source }) => source)).toEqual(['bread', '"Rye Bread"', '-[A]', 'tag:b']);
    expect(exceeded).toEqual([]);
  });

  test('keeps repeated words, because the text is also searched as typed', () => {
    expect(searched('I know that that is so').terms).toHaveLength(6);
  });

  test('treats a phrase below three characters as a word', () => {
    expect(terms('"go" -"e" “中文” "c++" "gone"')).toEqual([
      { ...word('go'), problem: 'short-phrase' },
      { ...word('e'), excluded: true, problem: 'short-phrase' },
      { ...word('中文'), problem: 'short-phrase' },
      { kind: 'phrase', text: 'c++', excluded: false },
      { kind: 'phrase', text: 'gone', excluded: false },
    ]);
  });
});
