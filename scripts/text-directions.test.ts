import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '#server/core/paths.ts';

/** The values of a shorthand for all sides, in which left and right differ. Arabic needs padding-inline and so on. */
const sides = /\b(?:padding|margin|inset|border-width): *([^;{}]+);/gu;

test('no shorthand has different left and right sides, which would be wrong from right to left', async () => {
  const found: string[] = [];
  for await (const file of glob('src/web/**/*.css', { cwd: projectRoot }))
    for (const [style, values = ''] of (await readFile(path.join(projectRoot, file), 'utf8')).matchAll(
      sides,
    )) {
      const [, right, , left] = splitValues(values);
      if (left !== undefined && left !== right) found.push(`${file}: ${style}`);
    }
  expect(found).toEqual([]);
});

/** Splits at spaces outside parentheses. */
function splitValues(values: string): string[] {
  return values.match(/(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|[^\s()])+/gu) ?? [];
}
