import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const project = path.dirname(import.meta.dirname);
const read = (file: string) => readFileSync(path.join(project, file), 'utf8');
const documents = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'];

const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: project,
  encoding: 'utf8',
})
  .split('\0')
  .filter((file) => existsSync(path.join(project, file)));
const wordsOfCode = new Set(
  files
    .filter((file) => /^(?:src|tests)\/.*\.tsx?$/u.test(file))
    .flatMap((file) => read(file).match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []),
);

/** Files are named by their path or by its end. `NNNN_` and `<feature>` stand for names that a reader chooses. */
const isFile = (name: string) => /^[\w./#-]+\.(?:mjs|sql|tsx?)$/u.test(name) && !name.includes('NNNN_');
const findFile = (name: string) => {
  const end = name.replace('#', 'src/');
  return files.find((file) => file === end || file.endsWith(`/${end}`));
};
const isIdentifier = (name: string) => /^[\p{Ll}\p{Lu}][\p{Ll}\d]+(?:\p{Lu}[\p{Ll}\d]*)+$/u.test(name);

/**
 * The names in a text: files that do not exist, and identifiers that are not in the code, or not in the file that is
 * named with them.
 */
function findFalseNames(text: string): string[] {
  const names = [...text.matchAll(/`([^`\n]+)`/gu)].map(([, name = '']) => name);
  const located = [...text.matchAll(/`(?<name>[^`\n]+)` (?:in |\()`(?<file>[^`\n]+)`/gu)];
  return [
    ...names.filter((name) => isFile(name) && findFile(name) === undefined),
    ...names.filter((name) => isIdentifier(name) && !wordsOfCode.has(name)),
    ...located.flatMap(({ groups: { name = '', file = '' } = {} }) => {
      const found = isIdentifier(name) && isFile(file) ? findFile(file) : undefined;
      const isThere = found === undefined || new RegExp(`\\b${name}\\b`, 'u').test(read(found));
      return isThere ? [] : [`${name} in ${file}`];
    }),
  ];
}

test.each(documents)('%s names only files and identifiers that exist', (document) => {
  expect(findFalseNames(read(document))).toEqual([]);
});

test.each([
  ['a file', 'See `core/no-such-file.ts`.', 'core/no-such-file.ts'],
  ['an identifier', 'Call `noSuchFunction`.', 'noSuchFunction'],
  [
    'an identifier of another file',
    'Call `editPost` in `posts/tag-rules.ts`.',
    'editPost in posts/tag-rules.ts',
  ],
  [
    'an identifier before its file in brackets',
    'Call `editPost` (`posts/tag-rules.ts`).',
    'editPost in posts/tag-rules.ts',
  ],
])('finds a false name of %s', (_, text, name) => {
  expect(findFalseNames(text)).toEqual([name]);
});

test('accepts names that exist and names that a reader chooses', () => {
  const text =
    'Call `editPost` in `posts/post-edits.ts` and `#server/posts/index.ts`, `<feature>.ts`, `NNNN_name.sql`.';
  expect(findFalseNames(text)).toEqual([]);
});
