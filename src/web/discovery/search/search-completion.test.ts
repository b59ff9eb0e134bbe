import { expect, test } from 'vitest';
import { parseSearch } from '#shared/discovery/search-query.ts';
import { formatUserTerm } from './search-completion.ts';

test.each([
  ['Ann', 'user:Ann'],
  ['Ann Lee', 'user:"Ann Lee"'],
  ['2024', 'user:"2024"'],
  ['Me', 'user:"Me"'],
  ['Ann "A" Lee', 'user:12'],
])('completes the name %s as an operator that finds this member', (displayName, term) => {
  expect(formatUserTerm({ id: 12, displayName })).toBe(term);
  const isName = term.endsWith('"') && !term.includes(' ');
  expect(parseSearch(term)).toMatchObject([
    { kind: 'user', user: term === 'user:12' ? '12' : displayName, ...(isName && { isName }) },
  ]);
});
