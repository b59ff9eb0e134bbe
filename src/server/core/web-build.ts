import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Context } from 'hono';
import type { RenderPage } from '#shared/core/page-rendering.ts';
import { createPageRenderer } from './page-renderer.ts';

/** The build of the web app. */
export type WebBuild = {
  /** index.html without its scripts and styles. */
  shell: string;
  /** The script that sets the theme before the first paint. It stands in the page: a file would delay the paint. */
  themeScript: string;
  getPageFiles: (needs: {
    programs: readonly (string | undefined)[];
    language?: string | undefined;
  }) => PageFiles;
  /** Null if the build has no server part. */
  renderPage: RenderPage | null;
};

/** The files that a page needs before it handles input. */
export type PageFiles = {
  /** The content of all style sheets. It stands in the page: on a slow network, files would delay the first paint. */
  css: string;
  /**
   * The elements of the head that load the fonts, and mark the style sheets as loaded, so that scripts do not load them
   * again.
   */
  headTags: string;
  /** The elements of the body that load the scripts. */
  scriptTags: string;
};

/** An entry of Vite's manifest (https://vite.dev/guide/backend-integration). */
type Chunk = { file: string; imports?: string[]; css?: string[]; assets?: string[] };
type Manifest = Readonly<Record<string, Chunk>>;

const entry = 'index.html';

/** Nearly every page needs these two fonts. Browsers fetch those of other alphabets when a text needs them. */
const latinFont = /-latin-wght-normal-[\w-]+\.woff2$/u;

/**
 * Opens the build.
 * @returns a function that returns the current build, because `npm start` may replace it
 */
export function openWebBuild(directory: string): () => Promise<WebBuild> {
  let known: Promise<WebBuild> | undefined;
  let shell: string | undefined;
  return async () => {
    const html = await readFile(path.join(directory, entry), 'utf8');
    // File names change with their content, so another build has another index.html.
    if (html !== shell || known === undefined) known = readWebBuild(directory, html);
    shell = html;
    return known;
  };
}

async function readWebBuild(directory: string, page: string): Promise<WebBuild> {
  const manifest = await readManifest(directory);
  const chunks = Object.values(manifest);
  const fonts = (manifest[entry]?.assets ?? []).filter((file) => latinFont.test(file));
  const styles = new Map<string, string>();
  for (const file of new Set(chunks.flatMap(({ css = [] }) => css)))
    styles.set(file, await readFile(path.join(directory, file), 'utf8'));
  return {
    shell: page.replaceAll(/ *<(script|link rel="stylesheet")[^>]*>(<\/script>)?\n/gu, ''),
    themeScript: await readFile(path.join(directory, 'theme.js'), 'utf8').catch(() => ''),
    renderPage: createPageRenderer(path.join(directory, '../render/render-page.js')),
    getPageFiles({ programs, language }) {
      const names = [entry, ...programs, language && `languages/${language}.po`];
      const needed = new Set(names.flatMap((name) => [...collectChunks(manifest, name ?? '')]));
      const sheets = new Set([...needed].flatMap(({ css = [] }) => css));
      const [first, ...others] = [...needed].map(({ file }) => `/${file}`);
      return {
        css: [...sheets].map((file) => styles.get(file)).join('\n'),
        headTags: [
          ...fonts.map(
            (file) => `<link rel="preload" as="font" type="font/woff2" crossorigin href="/${file}">`,
          ),
          ...[...sheets].map((file) => `<link rel="stylesheet" crossorigin disabled href="/${file}">`),
        ].join(''),
        scriptTags: [
          '<script defer src="/early-input.js"></script>',
          `<script type="module" crossorigin src="${first}"></script>`,
          ...others.map((file) => `<link rel="modulepreload" crossorigin href="${file}">`),
        ].join(''),
      };
    },
  };
}

/** Without a manifest, pages are served without preload hints. */
async function readManifest(directory: string): Promise<Manifest> {
  try {
    return JSON.parse(await readFile(path.join(directory, 'pages.json'), 'utf8')) as Manifest;
  } catch {
    return {};
  }
}

/** A file of the build and all files it needs to start. */
function collectChunks(manifest: Manifest, name: string, chunks = new Set<Chunk>()): Set<Chunk> {
  const chunk = manifest[name];
  if (chunk === undefined || chunks.has(chunk)) return chunks;
  chunks.add(chunk);
  for (const each of chunk.imports ?? []) collectChunks(manifest, each, chunks);
  return chunks;
}

/**
 * A script that replaces an installed service worker and unregisters itself. Browsers check for updates at the next
 * visit, even if the old worker is broken. A 404 would leave the old one installed (Service Workers, Update).
 */
export const serveServiceWorkerRemoval = (c: Context) =>
  c.body(removalScript, 200, {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'no-cache',
  });

const removalScript = `self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(end()));

async function end() {
  for (const name of await caches.keys()) await caches.delete(name);
  await self.clients.claim();
  await self.registration.unregister();
}
`;
