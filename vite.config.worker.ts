import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'vite';

/** Fonts of less common scripts are fetched when a page needs them. The browser then caches them. */
const rareFont = /-(cyrillic|greek|vietnamese)(-ext)?-[^/]*\.woff2$/u;

/**
 * Builds src/web/worker into the finished build, with the list of the build's files.
 * @param web the directory src/web.
 * @param output the directory of the build.
 */
export async function buildWorker(web: string, output: string): Promise<void> {
  const names = (await readdir(output, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(output, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .toSorted();
  const assets = names.filter((name) => name.startsWith('assets/') && !rareFont.test(name));
  const shell = names.filter((name) => !name.startsWith('assets/') && name !== 'pages.json');
  const hash = createHash('sha256').update(assets.join('\n'));
  for (const name of shell) hash.update(await readFile(path.join(output, name)));
  const page = await readFile(path.join(output, 'index.html'), 'utf8');
  const entry = /\/assets\/index-[\w-]+\.js/u.exec(page)?.[0];
  if (entry === undefined) throw new Error('index.html has no entry script.');
  const files = {
    version: hash.digest('hex').slice(0, 12),
    shell: shell.map((name) => (name === 'index.html' ? '/' : `/${name}`)),
    assets: assets.map((name) => `/${name}`),
    entry,
  };
  await build({
    configFile: false,
    root: web,
    logLevel: 'warn',
    define: { BUILD: JSON.stringify(files) },
    build: {
      outDir: output,
      emptyOutDir: false,
      copyPublicDir: false,
      target: 'es2024',
      rolldownOptions: {
        input: path.join(web, 'worker/service-worker.ts'),
        output: { format: 'iife', entryFileNames: 'service-worker.js' },
      },
    },
  });
}
