import { projectRoot } from '#server/core/paths.ts';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';

/**
 * Bytes of brotli of JavaScript and style sheets that a signed-in member's first visit to the home page may cost, in a wide
 * window. 170 KB are what is wanted; the rest is room for what comes.
 */
const budget = 165 * 1024;

const folder = path.join(projectRoot, 'dist/web');
type Chunk = { file: string; imports?: string[]; css?: string[] };

/** What the home page fetches by itself: its program, and once it stands, the live connection, what it keeps, and what is beside it. */
const homePage =
  /^index\.html$|\/socket\.io-client\/|^core\/offline-store\.ts$|^discovery\/feeds\/HomeSidebar\.tsx$/u;

const sizeOf = async (files: Iterable<string>) => {
  const sizes = await Promise.all([...files].map((file) => stat(path.join(folder, `${file}.br`))));
  return sizes.reduce((total, { size }) => total + size, 0);
};

async function readManifest(): Promise<Record<string, Chunk>> {
  expect(existsSync(folder), 'npm test -- --only build makes what is measured here').toBe(true);
  return JSON.parse(await readFile(path.join(folder, 'pages.json'), 'utf8')) as Record<string, Chunk>;
}

test('a first visit to the home page costs 165 KB of programs and styles at most, in one file each before it shows', async () => {
  const manifest = await readManifest();
  const wanted = Object.keys(manifest).filter((name) => homePage.test(name));
  expect(wanted).toHaveLength(4);
  const { imports = [], css } = manifest['index.html'] ?? {};
  expect(imports).toEqual([]);
  expect(css).toHaveLength(1);
  expect(await sizeOf(new Set(wanted.flatMap((name) => filesOf(manifest, name))))).toBeLessThan(budget);
});

test('the page of a question, where most visitors come in, costs 16 more files and 140 KB of them at most', async () => {
  const manifest = await readManifest();
  const first = new Set(filesOf(manifest, 'index.html'));
  const more = new Set(
    filesOf(manifest, 'app/question-page/QuestionPage.tsx').filter((file) => !first.has(file)),
  );
  expect(more.size).toBeLessThanOrEqual(16);
  expect(await sizeOf(more)).toBeLessThan(140 * 1024);
});

function filesOf(manifest: Record<string, Chunk>, name: string): string[] {
  const { file, imports = [], css = [] } = manifest[name] ?? { file: '' };
  return [file, ...css, ...imports.flatMap((each) => filesOf(manifest, each))];
}
