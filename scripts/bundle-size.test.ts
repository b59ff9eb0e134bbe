import { projectRoot } from '#server/core/paths.ts';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';

/**
 * The maximum size in bytes (brotli) of the scripts and styles of a signed-in member's first visit to the home page in
 * a wide window. The goal is 170 KB; the difference is a reserve.
 */
const budget = 168 * 1024;

const directory = path.join(projectRoot, 'dist/web');
type Chunk = { file: string; imports?: string[]; css?: string[] };

/**
 * The chunks that the home page loads on its own: the page and, after rendering, the live connection, the offline store
 * and the sidebar.
 */
const homePage =
  /^index\.html$|\/socket\.io-client\/|^core\/offline-store\.ts$|^discovery\/feeds\/HomeSidebar\.tsx$/u;

/** The usual entry page. */
const questionPage = 'app/question-page/QuestionPage.tsx';

const sizeOf = async (files: Iterable<string>) => {
  const sizes = await Promise.all([...files].map((file) => stat(path.join(directory, `${file}.br`))));
  return sizes.reduce((total, { size }) => total + size, 0);
};

async function readManifest(): Promise<Record<string, Chunk>> {
  expect(existsSync(directory), 'npm test -- --only build makes what is measured here').toBe(true);
  return JSON.parse(await readFile(path.join(directory, 'pages.json'), 'utf8')) as Record<string, Chunk>;
}

test('limits the first visit to the home page to 168 KB of scripts and styles, in one file each before the first render', async () => {
  const manifest = await readManifest();
  const wanted = Object.keys(manifest).filter((name) => homePage.test(name));
  expect(wanted).toHaveLength(4);
  const { imports = [], css } = manifest['index.html'] ?? {};
  expect(imports).toEqual([]);
  expect(css).toHaveLength(1);
  expect(await sizeOf(new Set(wanted.flatMap((name) => filesOf(manifest, name))))).toBeLessThan(budget);
});

test('limits what a question page loads before it handles input to 181 KB in 9 files', async () => {
  const manifest = await readManifest();
  const files = new Set(['index.html', questionPage].flatMap((name) => filesOf(manifest, name)));
  expect(files.size).toBeLessThanOrEqual(9);
  expect(await sizeOf(files)).toBeLessThan(181 * 1024);
});

test('loads no code of the question page for other pages', async () => {
  const manifest = await readManifest();
  const { file = '' } = manifest[questionPage] ?? {};
  expect(file).not.toBe('');
  // Its menu is part of it.
  const others = Object.keys(manifest).filter(
    (name) => name !== questionPage && !/\/(QuestionMenuList|CloseVoteDialog)[.]/u.test(name),
  );
  expect(others.filter((name) => filesOf(manifest, name).includes(file))).toEqual([]);
});

function filesOf(manifest: Record<string, Chunk>, name: string): string[] {
  const { file, imports = [], css = [] } = manifest[name] ?? { file: '' };
  return [file, ...css, ...imports.flatMap((each) => filesOf(manifest, each))];
}
