import { expect, test } from 'vitest';
import { scoreFuzzyMatch } from './command-palette-choices.ts';

const best = (typed: string) =>
  [
    'Go to Home',
    'Go to Topics',
    'Go to Notifications',
    'Ask a question',
    'Switch to dark theme',
    'Mark all notifications as read',
  ]
    .map((label) => ({ label, score: scoreFuzzyMatch(typed, label) }))
    .filter(({ score }) => score !== null)
    .toSorted((a, b) => (b.score ?? 0) - (a.score ?? 0))[0]?.label;

test.each([
  ['home', 'Go to Home'],
  ['gtop', 'Go to Topics'],
  ['gn', 'Go to Notifications'],
  ['aq', 'Ask a question'],
  ['dark', 'Switch to dark theme'],
  ['sdt', 'Switch to dark theme'],
  ['mar', 'Mark all notifications as read'],
  ['théme', 'Switch to dark theme'],
  ['xyz', undefined],
])('matches %s with %s', (typed, label) => {
  expect(best(typed)).toBe(label);
});
