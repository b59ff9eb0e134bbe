import { projectRoot } from '#server/core/paths.ts';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';

/**
 * The maximum size in bytes (brotli) of the scripts and styles of a signed-in member's first visit to the home page in
 * a wide window.
 */
const budget = 160_000;

const directory = path.join(projectRoot, 'dist/web');
type Chunk = { file: string; imports?: string[]; css?: string[] };

/**
 * The chunks that the home page loads on its own: the page and, after rendering, the live connection, the offline store,
 * the banner of the connection and the sidebar.
 */
const homePage =
  /^index\.html$|^app\/(?:BackgroundTasks|ConnectionBanner)\.tsx$|^core\/offline-store\.ts$|^discovery\/feeds\/Home(?:Page|Sidebar)\.tsx$/u;

const sizeOf = async (files: Iterable<string>) => {
  const sizes = await Promise.all([...files].map((file) => stat(path.join(directory, `${file}.br`))));
  return sizes.reduce((total, { size }) => total + size, 0);
};

async function readManifest(): Promise<Record<string, Chunk>> {
  expect(existsSync(directory), 'npm test -- --only build makes what is measured here').toBe(true);
  return JSON.parse(await readFile(path.join(directory, 'pages.json'), 'utf8')) as Record<string, Chunk>;
}

test('limits the first visit to the home page to 160 KB of scripts and styles', async () => {
  const manifest = await readManifest();
  const wanted = Object.keys(manifest).filter((name) => homePage.test(name));
  expect(wanted).toHaveLength(6);
  expect(await sizeOf(new Set(wanted.flatMap((name) => filesOf(manifest, name))))).toBeLessThan(budget);
});

test('limits what a question page loads before it handles input to 130 KB in one script and one style sheet', async () => {
  const manifest = await readManifest();
  const { file = '', imports = [], css = [] } = manifest['index.html'] ?? {};
  expect(imports).toEqual([]);
  expect(css).toHaveLength(1);
  // The HTML contains theme.js.
  expect(await sizeOf([file, ...css, 'early-input.js', 'theme.js'])).toBeLessThan(130_000);
});

test('loads no component of Mantine before a question page handles input', async () => {
  const manifest = await readManifest();
  const { file = '', css = [] } = manifest['index.html'] ?? {};
  for (const each of [file, ...css])
    expect(await readFile(path.join(directory, each), 'utf8')).not.toMatch(/\bm_[0-9a-f]{5,}\b/u);
});

function filesOf(manifest: Record<string, Chunk>, name: string): string[] {
  const { file, imports = [], css = [] } = manifest[name] ?? { file: '' };
  return [file, ...css, ...imports.flatMap((each) => filesOf(manifest, each))];
}
