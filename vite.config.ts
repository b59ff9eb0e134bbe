import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { lingui } from '@lingui/vite-plugin';
import babel from '@rolldown/plugin-babel';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { componentStyles } from './vite.config.styles.ts';
import { englishTexts } from './vite.config.texts.ts';
import { buildWorker } from './vite.config.worker.ts';

/** `PARLEY_API`: where a running server is, for `vite` in development. */
const api = process.env['PARLEY_API'] ?? 'http://127.0.0.1:3000';

export default defineConfig({
  root: 'src/web',
  plugins: [
    babel({ plugins: ['@lingui/babel-plugin-lingui-macro'] }),
    react(),
    lingui(),
    englishTexts(),
    componentStyles(),
    wholeEntry(),
    finished(),
  ],
  build: {
    outDir: path.resolve(import.meta.dirname, 'dist/web'),
    emptyOutDir: true,
    target: 'es2024',
    // A content security policy without data: needs every asset as a file.
    assetsInlineLimit: 0,
    // The server tells the browser early what a page needs (src/server/pages.ts).
    manifest: 'pages.json',
    rolldownOptions: {
      output: {
        codeSplitting: { groups: sharedFiles() },
      },
    },
    chunkSizeWarningLimit: 700,
  },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': { target: api, ws: true } },
  },
});

/**
 * What is bundled into one file though not every page that fetches it needs all of it. By itself the bundler makes a file of
 * what exactly the same pages and dialogs need: dozens of small ones, each of which costs a request and compresses a fifth
 * worse.
 */
function sharedFiles() {
  const mantine = (names: string) => `@mantine/core/(esm/components/(${names})/|styles/(${names})[.])`;
  const oneOf = (...paths: string[]) => new RegExp(paths.join('|').replaceAll('/', String.raw`[\\/]`), 'u');
  return [
    // All that the first page needs.
    { name: 'index', tags: ['$initial' as const] },
    // What many pages have a little of.
    {
      name: 'common',
      test: oneOf(
        mantine('Input|InputBase|TextInput|CloseButton'),
        '@mantine/hooks/',
        '@tabler/',
        '/(FormError|SelectField|CharacterCounter|Skeleton|QueuedMark|ScrollBox|PostAttribution|PostActions|PagedList)[.]',
        '/(Revisions|moderation)[.]module',
        '/(questions-messages|copy-text|useSwipe|posts/tags)[.]ts',
      ),
      minShareCount: 2,
    },
    // What stands beside a page, the first one too.
    { name: 'beside', test: oneOf('/QuestionLinks[.]', '/side-column[.]module'), minShareCount: 2 },
    // What opens above a page.
    {
      name: 'dialogs',
      test: oneOf(
        mantine('Modal|ModalBase|Overlay|FocusTrap|Popover|Portal|Menu|Floating|Transition'),
        '@floating-ui/',
        '/(react-remove-scroll(-bar)?|use-sidecar|use-callback-ref|react-style-singleton|get-nonce|aria-hidden)/',
        '/(Dialog|DeleteDialog)[.]',
      ),
      minShareCount: 2,
    },
  ];
}

/**
 * The bundler's helpers are a file of their own, of 400 bytes, that the first page would have to wait for: the program gets a
 * copy. They hold no state, so that the other files may go on with theirs.
 */
function wholeEntry(): Plugin {
  return {
    name: 'parley:whole-entry',
    apply: 'build',
    enforce: 'pre',
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const helpers = chunks.find(({ name }) => name === 'rolldown-runtime');
      const entry = chunks.find(({ isEntry }) => isEntry);
      if (helpers === undefined || entry === undefined) return;
      const taken = /^import\{([^}]*)\}from"\.\/rolldown-runtime-[\w-]+\.js";/u.exec(entry.code);
      const given = /export\{([^}]*)\};?\s*$/u.exec(helpers.code);
      if (taken === null || given === null) throw new Error('The helpers look otherwise than expected.');
      const [names = '', fields = ''] = [taken[1], given[1]?.replaceAll(/([\w$]+) as ([\w$]+)/gu, '$2:$1')];
      entry.code =
        `const{${names.replaceAll(' as ', ':')}}=(()=>{${helpers.code.slice(0, given.index)}return{${fields}}})();` +
        entry.code.slice(taken[0].length);
      entry.imports = entry.imports.filter((file) => file !== helpers.fileName);
    },
  };
}

/**
 * Adds the service worker, which lists the other files; then writes each text file once more as .br and .gz: the server
 * sends them as they are (src/server/app.ts).
 */
function finished(): Plugin {
  let web = '';
  let output = '';
  return {
    name: 'parley:finished',
    apply: 'build',
    configResolved({ root, build }) {
      web = root;
      // Not the one above: npm start builds beside it first.
      output = path.resolve(root, build.outDir);
    },
    async closeBundle() {
      await buildWorker(web, output);
      const names = await readdir(output, { recursive: true });
      const texts = names.filter((name) => /\.(html|js|css|svg|webmanifest)$/u.test(name));
      await Promise.all(texts.map((name) => compress(path.join(output, name))));
    },
  };
}

async function compress(file: string): Promise<void> {
  const content = await readFile(file);
  await Promise.all([
    promisify(brotliCompress)(content).then((small) => writeFile(`${file}.br`, small)),
    promisify(gzip)(content, { level: 9 }).then((small) => writeFile(`${file}.gz`, small)),
  ]);
}
