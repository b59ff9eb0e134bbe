import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const directory = path.join(import.meta.dirname, '../docs/decisions');
const read = (file: string) => readFileSync(path.join(directory, file), 'utf8');
const rows = [...read('README.md').matchAll(/^\| (\d+) \| (?:\[(.*)\]\((.*)\)|–) \| (.+) \|$/gmu)].map(
  ([, number, title, file, state]) => ({ number: Number(number), title, file, state }),
);

test('docs/decisions/README.md lists every record with its title', () => {
  const records = globSync('[0-9]*.md', { cwd: directory }).toSorted();
  const listed = rows.filter(({ file }) => file !== undefined);
  expect(listed.map(({ file }) => file)).toEqual(records);
  expect(listed.map(({ number, title }) => `# ${number}. ${title}`)).toEqual(
    records.map((file) => read(file).split('\n')[0]),
  );
});

test('docs/decisions/README.md has a row for every number, also of deleted records', () => {
  expect(rows.map(({ number }) => number)).toEqual(rows.map((_, index) => index + 1));
});
