import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { findBannedNames } from './lib/vocabulary.ts';

const project = path.dirname(import.meta.dirname);
const checked = ['src', 'tests', 'scripts', 'bench', 'migrations', 'docs'];
/** Holds the banned words themselves. */
const exempt = /^scripts\/(?:vocabulary\.test|lib\/vocabulary)\.ts$/u;
const binary = /\.(?:png|svg|woff2|tar|zip)$/u;

test('no name contains a banned term', () => {
  const listed = execFileSync('git', ['ls-files', '-z', ...checked], { cwd: project, encoding: 'utf8' });
  const files = listed.split('\0').filter((file) => file !== '' && !exempt.test(file) && !binary.test(file));
  expect(files.length).toBeGreaterThan(1_000);
  const findings = files.flatMap((file) => {
    let text = '';
    try {
      text = readFileSync(path.join(project, file), 'utf8');
    } catch {
      // Deleted, but not committed yet.
      return [];
    }
    return findBannedNames(file, text);
  });
  expect(
    findings.map(({ file, line, name, term, use }) => `${file}:${line} ${name}: ${term} → ${use}`),
  ).toEqual([]);
});

test.each([
  ['a file name', 'src/web/care/page.ts', '', 'care'],
  ['a directory of documents', 'docs/departure/readme.md', '', 'departure'],
  ['a variable', 'src/server/x.ts', 'const toldMembers = [];', 'told'],
  ['a private field', 'src/server/x.ts', 'class A { #keptPages = 1; }', 'kept'],
  ['a parameter in JSX', 'src/web/x.tsx', 'export function A({ asker }: Props) { return <p />; }', 'asker'],
  ['a property', 'src/shared/x.ts', 'type A = { mailing: boolean };', 'mailing'],
  ['a term of two words', 'src/server/x.ts', 'enableSecondFactor();', 'second factor'],
  ['a route', 'src/server/x.ts', "const route = { path: '/care/log' };", 'care'],
  ['an event', 'src/shared/x.ts', "type A = { kind: 'standing-changed' };", 'standing'],
  ['a metric', 'src/server/x.ts', "gauge('parley_kept_bytes');", 'kept'],
  ['a stored value', 'src/server/x.ts', "const frequency = 'at_once';", 'at once'],
  ['a path of a test', 'tests/x.test.ts', 'await ann.get(`/care/members/${id}`);', 'care'],
  ['an alias in SQL', 'src/server/x.ts', 'sql`select told.id from ${table} told`;', 'told'],
  ['code in a template', 'src/server/x.ts', 'log(`${kept.length} pages`);', 'kept'],
  ['a table', 'migrations/1.sql', 'create table departure (id int);', 'departure'],
  ['a column', 'migrations/1.sql', 'alter table post add put_away boolean;', 'put away'],
  ['a value in SQL', 'migrations/1.sql', "check (state in ('undoing', 'removed'));", 'undoing'],
  ['a CSS class', 'src/web/x.module.css', '.bells { color: red; }', 'bells'],
  ['a CSS property', 'src/web/x.css', ':root { --lane-width: 1px; }', 'lane'],
])('finds a banned word in %s', (_, file, text, term) => {
  expect(findBannedNames(file, text).map((each) => each.term)).toEqual([term]);
});

test.each([
  ['comments', 'src/server/x.ts', '// Takes care of what was told.\n/* kept */'],
  ['texts', 'src/server/x.ts', "throw new Error('The page was kept.');"],
  ['messages', 'src/web/x.tsx', 'const a = t`We have told the moderators.`;'],
  ['JSX', 'src/web/x.tsx', 'return <p>Take care of it</p>;'],
  ['values of tests', 'src/server/x.test.ts', "await ann.ask({ title: 'kept' });"],
  ['regular expressions', 'src/server/x.ts', 'const quoted = /[\'"`] kept/u;'],
  ['longer words', 'src/server/x.ts', 'const caret = careful + mailto;'],
  ['comments in SQL', 'migrations/1.sql', "-- told and kept\ncomment on table a is 'kept for a day';"],
  ['comments in CSS', 'src/web/x.css', '/* .kept */ .a { color: red; }'],
])('ignores words in %s', (_, file, text) => {
  expect(findBannedNames(file, text)).toEqual([]);
});
