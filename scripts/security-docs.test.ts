import { projectRoot } from '#server/core/paths.ts';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const table = readFileSync(path.join(projectRoot, 'docs/security.md'), 'utf8');

test('every file that docs/security.md names exists', () => {
  const named = [...table.matchAll(/`((?:src|tests|bench|scripts)\/[^`\s]+)`/gu)].map(
    ([, file = '']) => file,
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((file) => !existsSync(path.join(projectRoot, file)))).toEqual([]);
});

test('every test that docs/security.md names by its title is in its file', () => {
  const named = [...table.matchAll(/`((?:src|tests)\/[^`\s]+)` › ([^;|`]+?)(?=[;|.]|, `| \|)/gu)];
  expect(named.length).toBeGreaterThan(8);
  const missing = named.filter(([, file = '', title = '']) => {
    const text = readFileSync(path.join(projectRoot, file), 'utf8').replaceAll('\\', '');
    return !text.includes(title.trim());
  });
  expect(missing.map(([whole]) => whole)).toEqual([]);
});
