import { projectRoot } from '#server/core/paths.ts';
import { existsSync } from 'node:fs';
import { glob, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';

const built = path.join(projectRoot, 'dist/web');
const library = path.join(projectRoot, 'node_modules/@mantine');
type Chunk = { file: string; imports?: string[]; css?: string[]; isEntry?: true; isDynamicEntry?: true };

/** A CSS class of the library, with a hash per component. */
const classOf = /\bm_[0-9a-f]{5,}\b/gu;

test('loads the styles of every Mantine component with each page and lazy part', async () => {
  expect(existsSync(built), 'npm test -- --only build makes what is looked at here').toBe(true);
  const manifest = JSON.parse(await readFile(path.join(built, 'pages.json'), 'utf8')) as Record<
    string,
    Chunk
  >;
  const styled = await styledClasses();
  const missing: string[] = [];
  let checked = 0;
  for (const [name, chunk] of Object.entries(manifest)) {
    if (!chunk.isEntry && !chunk.isDynamicEntry) continue;
    // Without the styles of other pages, because a page can be opened directly.
    const files = new Set([...filesOf(manifest, 'index.html'), ...filesOf(manifest, name)]);
    const [used, given] = await Promise.all([classesIn(files, '.js'), classesIn(files, '.css')]);
    for (const each of used) {
      const sheet = styled.get(each);
      if (sheet === undefined) continue;
      checked++;
      if (!given.has(each)) missing.push(`${name}: ${sheet}`);
    }
  }
  expect([...new Set(missing)]).toEqual([]);
  expect(checked).toBeGreaterThan(0);
});

test('has no :has() on the whole page, which computes all styles again after each typed character', async () => {
  const names = (await readdir(path.join(built, 'assets'))).filter((name) => name.endsWith('.css'));
  const sheets = await Promise.all(names.map((name) => contentOf(path.join('assets', name))));
  expect(sheets.join('')).toContain(':has(');
  // src/web/core/root-attribute.ts does the same with attributes.
  expect(sheets.flatMap((sheet) => sheet.match(/(?:\bhtml|\bbody|:root|[,}{]):has\([^{]*/gu) ?? [])).toEqual(
    [],
  );
});

test('asks for the direction of an element instead of the language of the page', async () => {
  const names = (await readdir(path.join(built, 'assets'))).filter((name) => name.endsWith('.css'));
  const sheets = (await Promise.all(names.map((name) => contentOf(path.join('assets', name))))).join('');
  expect(sheets).toContain(':dir(rtl)');
  expect(sheets).not.toContain(':lang(ar)');
});

test('uses only CSS variables that are defined', async () => {
  const used = new Set<string>();
  const defined = new Set<string>();
  for await (const file of glob('src/web/**/*.{css,ts,tsx}', { cwd: projectRoot })) {
    const text = await readFile(path.join(projectRoot, file), 'utf8');
    for (const [, name = ''] of text.matchAll(/var\((--[\w-]+)/gu)) used.add(name);
    // In TypeScript: a key of an object, or a string that a function sets.
    const definition = file.endsWith('.css') ? /(--[\w-]+):/gu : /(--[\w-]+)'(?:\]?:|,)/gu;
    for (const [, name = ''] of text.matchAll(definition)) defined.add(name);
    for (const [, name = ''] of text.matchAll(/@property (--[\w-]+)/gu)) defined.add(name);
  }
  // Mantine sets its own on its components.
  const unknown = [...used].filter(
    (name) => !defined.has(name) && !/^--(?:mantine|button|menu)-/u.test(name),
  );
  expect(used.size).toBeGreaterThan(0);
  expect(unknown).toEqual([]);
});

/** Maps each class that has styles to the file of the library with those styles. */
async function styledClasses(): Promise<Map<string, string>> {
  const directory = path.join(library, 'core/styles');
  const names = (await readdir(directory)).filter((name) => name.endsWith('.layer.css'));
  const sheets = [
    ...names.map((name) => path.join(directory, name)),
    path.join(library, 'notifications/styles.layer.css'),
  ];
  const classes = new Map<string, string>();
  for (const sheet of sheets)
    for (const [name] of (await readFile(sheet, 'utf8')).matchAll(classOf))
      classes.set(name, path.relative(library, sheet));
  return classes;
}

async function classesIn(files: Iterable<string>, ending: string): Promise<Set<string>> {
  const contents = await Promise.all(
    [...files].filter((file) => file.endsWith(ending)).map((file) => contentOf(file)),
  );
  return new Set(contents.flatMap((content) => [...content.matchAll(classOf)].map(([name]) => name)));
}

const contents = new Map<string, Promise<string>>();
function contentOf(file: string): Promise<string> {
  const content = contents.get(file) ?? readFile(path.join(built, file), 'utf8');
  contents.set(file, content);
  return content;
}

function filesOf(manifest: Record<string, Chunk>, name: string): string[] {
  const { file, imports = [], css = [] } = manifest[name] ?? { file: '' };
  return [file, ...css, ...imports.flatMap((each) => filesOf(manifest, each))];
}
