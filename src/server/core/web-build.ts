import { readFile } from 'node:fs/promises';
import path from 'node:path';

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
export function openWebBuild(folder: string): () => Promise<WebBuild> {
  let known: Promise<WebBuild> | undefined;
  let shell: string | undefined;
  return async () => {
    const found = await readFile(path.join(folder, entry), 'utf8');
    // File names change with their content, so another build has another index.html.
    if (found !== shell || known === undefined) known = readWebBuild(folder, found);
    shell = found;
    return known;
  };
}

async function readWebBuild(folder: string, shell: string): Promise<WebBuild> {
  const manifest = await readManifest(folder);
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
async function readManifest(folder: string): Promise<Manifest> {
  try {
    return JSON.parse(await readFile(path.join(folder, 'pages.json'), 'utf8')) as Manifest;
  } catch {
    return {};
  }
}

/** A file of the build and all files it needs to start. */
function collectChunks(manifest: Manifest, name: string, found = new Set<Chunk>()): Set<Chunk> {
  const chunk = manifest[name];
  if (chunk === undefined || found.has(chunk)) return found;
  found.add(chunk);
  for (const each of chunk.imports ?? []) collectChunks(manifest, each, found);
  return found;
}
