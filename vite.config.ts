import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { lingui } from '@lingui/vite-plugin';
import babel from '@rolldown/plugin-babel';
import react from '@vitejs/plugin-react';
import { type BuildOptions, defineConfig, minify, type Plugin } from 'vite';
import { loadedParts } from './vite.config.parts.ts';
import { componentStyles, optionalFonts } from './vite.config.styles.ts';
import { englishTexts, sentTextsFile, withoutSentTexts } from './vite.config.texts.ts';
import { buildWorker } from './vite.config.worker.ts';

/** `PARLEY_API`: the address of a running server, for `vite` in development. */
const api = process.env['PARLEY_API'] ?? 'http://127.0.0.1:3000';

export default defineConfig(({ isSsrBuild }) => ({
  root: 'src/web',
  plugins: [
    babel({ plugins: ['@lingui/babel-plugin-lingui-macro'] }),
    react(),
    lingui(),
    englishTexts(),
    withoutSentTexts(),
    componentStyles(),
    optionalFonts(),
    ...(isSsrBuild === true ? [sentTextsFile()] : [loadedParts(), wholeEntry(), finished()]),
  ],
  build: {
    emptyOutDir: true,
    target: 'es2024',
    // The first of these browsers with `:dir()`. For older ones it would become a list of languages, which ignores the
    // direction of an element: code is left to right on an Arabic page.
    cssTarget: ['chrome120', 'firefox121', 'safari17.4'],
    ...(isSsrBuild === true ? serverBuild : browserBuild),
  },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': { target: api, ws: true } },
  },
  // With the packages, of which the server then loads only what is used.
  ssr: { noExternal: true },
  ...(isSsrBuild === true && { define: { 'process.env.NODE_ENV': '"production"' } }),
}));

const browserBuild: BuildOptions = {
  outDir: path.resolve(import.meta.dirname, 'dist/web'),
  // The content security policy does not allow data: URLs, so every asset is a file.
  assetsInlineLimit: 0,
  // The server sends the browser hints about what a page needs (src/server/pages).
  manifest: 'pages.json',
  rolldownOptions: {
    output: {
      codeSplitting: { groups: sharedFiles() },
      // The first script names all files, and hashes do not compress: the shortest that the bundler allows.
      chunkFileNames: 'assets/[name]-[hash:7].js',
      assetFileNames: 'assets/[name]-[hash:6][extname]',
    },
  },
  // All browsers that the target includes load modules ahead by themselves.
  modulePreload: { polyfill: false },
  chunkSizeWarningLimit: 700,
};

/** The web app as the server renders it (docs/decisions/052). */
const serverBuild: BuildOptions = {
  outDir: path.resolve(import.meta.dirname, 'dist/render'),
  minify: false,
  copyPublicDir: false,
};

/**
 * Chunks that are bundled together although not every page needs all of them. By default the bundler makes one chunk
 * for each set of pages and dialogs that share modules: dozens of small files, each of which costs a request and
 * compresses a fifth worse.
 */
function sharedFiles() {
  const mantine = (names: string) => `@mantine/core/(esm/components/(${names})/|styles/(${names})[.])`;
  const oneOf = (...paths: string[]) => new RegExp(paths.join('|').replaceAll('/', String.raw`[\\/]`), 'u');
  return [
    // Everything that a question page, the usual entry page, needs before it handles input. Other pages use most of it.
    { name: 'index', tags: ['$initial' as const] },
    // What a member's page loads after it handles input, on all pages, and other parts use as well.
    {
      name: 'member',
      test: oneOf(
        '/core/(query-helpers|typing-presence)[.]ts',
        '/engagement/(follows|mutes)[.]ts',
        '/posts/(held-posts|new-posts|query-keys)[.]ts',
        '/posts/drafts/stored-drafts[.]ts',
      ),
    },
    // The cards and lists of the home page, which the pages of tags, members and searches have too, and the lists of
    // questions next to a page.
    {
      name: 'lists',
      test: oneOf(
        '/(QuestionCard|PostCard|TabLinks|Announcements|MutedBanner|useLiveQuestionCards|FeedList)[.]',
        '/(PagedList|QuestionCardSkeletons|EmptyState|QuestionLinks)[.]tsx',
        '/discovery/tags/tags[.]ts',
        '@tanstack/.*[iI]nfiniteQuery',
      ),
      minShareCount: 2,
    },
    // Mantine's core and fields, which only forms, dialogs and menus need.
    {
      name: 'mantine',
      test: oneOf(
        '@mantine/core/esm/core/',
        mantine('Input|InputBase|TextInput|CloseButton'),
        '/with-mantine[.]tsx',
        '/ui/mantine/TextInput[.]tsx',
        '/mantine-variables[.]',
      ),
      minShareCount: 2,
    },
    // Small modules that other pages share.
    {
      name: 'common',
      test: oneOf(
        '@mantine/hooks/',
        '@tabler/',
        '/(FormError|CharacterCounter|Skeleton|ScrollBox|WelcomeText|RulesNote)[.]',
        '/Revisions[.]module',
        '/(questions-messages|useSwipe|posts/tags|identity/roles)[.]ts',
        '/(useMutationForm|useFields|useSearchParamText|FormSelect|DescriptionList|DownloadLink|PagesMenu)[.]',
        '/(action-error|copy-with-toast|next-page|question-number|abilities|member-list|admin/change|replace-queued-action|provider-addresses)[.]ts',
      ),
      minShareCount: 2,
    },
    // Dialogs, popovers and messages, each of which is loaded before it is needed.
    {
      name: 'dialogs',
      test: oneOf(
        mantine('Modal|ModalBase|Overlay|FocusTrap|Popover|Portal|Menu|Floating|Transition'),
        '@floating-ui/',
        '/(react-remove-scroll(-bar)?|use-sidecar|use-callback-ref|react-style-singleton|get-nonce|aria-hidden)/',
        '/DialogWindow[.]',
        '/ui/mantine/Modal[.]tsx',
        '/core/Toasts[.]',
        '@mantine/notifications/',
      ),
    },
    // What other pages load as well, if there is a draft. With what it imports, like the next groups.
    { name: 'drafts', test: oneOf('/posts/drafts/drafts-sync[.]') },
    // The editor, on all pages where members write.
    {
      name: 'writing',
      test: oneOf(
        '/editor/(Editor|Toolbar)[.]tsx',
        '/posts/drafts/(DraftConflict|useDraft)[.]',
        '/posts/edit-api[.]',
        '/posts/ask/(TagNotes|ask-draft|audience|similar-questions|tag-proposals)[.]',
        '@github/markdown-toolbar-element/',
      ),
    },
    // The parser of Markdown.
    { name: 'markdown', test: oneOf('/ui/markdown/(MarkdownText|fit-blocks)[.]') },
  ];
}

/**
 * Inlines the bundler's helpers into the entry chunk. They are a separate file of 400 bytes that the first page would
 * have to wait for. They have no state, so the other chunks can use the separate file.
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
      const imported = /^import\{([^}]*)\}from"\.\/rolldown-runtime-[\w-]+\.js";/u.exec(entry.code);
      const exported = /export\{([^}]*)\};?\s*$/u.exec(helpers.code);
      if (imported === null || exported === null)
        throw new Error('The helpers of the bundler have an unexpected format.');
      const [names = '', fields = ''] = [
        imported[1],
        exported[1]?.replaceAll(/([\w$]+) as ([\w$]+)/gu, '$2:$1'),
      ];
      entry.code =
        `const{${names.replaceAll(' as ', ':')}}=(()=>{${helpers.code.slice(0, exported.index)}return{${fields}}})();` +
        entry.code.slice(imported[0].length);
      entry.imports = entry.imports.filter((file) => file !== helpers.fileName);
    },
  };
}

/**
 * Adds the service worker, which lists the other files, and writes a .br and a .gz version of each text file, which the
 * server sends as they are (src/server/app.ts).
 */
function finished(): Plugin {
  let web = '';
  let output = '';
  let isWritten = false;
  return {
    name: 'parley:finished',
    apply: 'build',
    configResolved({ root, build }) {
      web = root;
      // Not the path above: npm start builds into another directory first.
      output = path.resolve(root, build.outDir);
    },
    writeBundle() {
      isWritten = true;
    },
    // Also called after a failure, which would be hidden by errors about missing files.
    async closeBundle() {
      if (!isWritten) return;
      // Vite copies the scripts of public/ as they are, with their comments.
      await Promise.all(['early-input.js', 'theme.js'].map((name) => shrink(path.join(output, name))));
      await buildWorker(web, output);
      const names = await readdir(output, { recursive: true });
      const texts = names.filter((name) => /\.(html|js|css|svg|webmanifest)$/u.test(name));
      await Promise.all(texts.map((name) => compress(path.join(output, name))));
    },
  };
}

async function shrink(script: string): Promise<void> {
  const { code } = await minify(path.basename(script), await readFile(script, 'utf8'));
  await writeFile(script, code);
}

async function compress(file: string): Promise<void> {
  const content = await readFile(file);
  await Promise.all([
    promisify(brotliCompress)(content).then((small) => writeFile(`${file}.br`, small)),
    promisify(gzip)(content, { level: 9 }).then((small) => writeFile(`${file}.gz`, small)),
  ]);
}
