import { projectRoot } from '#server/core/paths.ts';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const table = readFileSync(path.join(projectRoot, 'docs/security.md'), 'utf8');

test('docs/security.md names only files that exist', () => {
  const named = [...table.matchAll(/`((?:src|tests|bench|scripts)\/[^`\s]+)`/gu)].map(
    ([, file = '']) => file,
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((file) => !existsSync(path.join(projectRoot, file)))).toEqual([]);
});

test('docs/security.md quotes only test titles that the named file contains', () => {
  const named = [...table.matchAll(/`((?:src|tests)\/[^`\s]+)` › ([^;|`]+?)(?=[;|.]|, `| \|)/gu)];
  expect(named.length).toBeGreaterThan(8);
  const missing = named.filter(([, file = '', title = '']) => {
    const text = readFileSync(path.join(projectRoot, file), 'utf8').replaceAll('\\', '');
    return !text.includes(title.trim());
  });
  expect(missing.map(([whole]) => whole)).toEqual([]);
});
