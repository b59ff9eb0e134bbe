import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Context } from 'hono';

/** The build of the web app. */
export type WebBuild = {
  /** The content of index.html. */
  shell: string;
  /** The head elements that make the browser fetch a page's files early. */
  preloadTags: (needs: { program?: string | undefined; language?: string | undefined }) => string;
  /** The codes of the languages whose messages are separate files. */
  languages: readonly string[];
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

async function readWebBuild(directory: string, shell: string): Promise<WebBuild> {
  const manifest = await readManifest(directory);
  const fonts = (manifest[entry]?.assets ?? []).filter((file) => latinFont.test(file));
  const fontHints = fonts.map(
    (file) => `<link rel="preload" as="font" type="font/woff2" crossorigin href="/${file}">`,
  );
  const entryChunks = collectChunks(manifest, entry);
  return {
    shell,
    languages: Object.keys(manifest).flatMap((name) => /^languages\/([\w-]+)\.po$/u.exec(name)?.[1] ?? []),
    preloadTags({ program, language }) {
      const wanted = [program, language && `languages/${language}.po`].filter((name) => name !== undefined);
      const chunks = new Set(wanted.flatMap((name) => [...collectChunks(manifest, name)]));
      const own = [...chunks].filter((chunk) => !entryChunks.has(chunk));
      return [
        ...fontHints,
        ...own.map(({ file }) => `<link rel="modulepreload" crossorigin href="/${file}">`),
        ...own
          .flatMap(({ css = [] }) => css)
          .map((file) => `<link rel="stylesheet" crossorigin href="/${file}">`),
      ].join('');
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
