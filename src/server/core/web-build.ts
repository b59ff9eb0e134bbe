import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** What is known of the build of the browser part. */
export type WebBuild = {
  /** index.html */
  shell: string;
  /** The elements of the head by which the browser fetches what a page needs while it reads on. */
  preloadTags: (needs: { program?: string | undefined; language?: string | undefined }) => string;
  /** Languages whose texts are a file of their own, by their codes. */
  languages: readonly string[];
};

/** An entry of Vite's manifest (https://vite.dev/guide/backend-integration). */
type Chunk = { file: string; imports?: string[]; css?: string[]; assets?: string[] };
type Manifest = Readonly<Record<string, Chunk>>;

const entry = 'index.html';

/** Nearly every page needs these two; other alphabets are fetched where a text has them. */
const latinFont = /-latin-wght-normal-[\w-]+\.woff2$/u;

/** @returns the build as it is at the moment: `npm start` puts another one in its place. */
export function openWebBuild(folder: string): () => Promise<WebBuild> {
  let known: Promise<WebBuild> | undefined;
  let shell: string | undefined;
  return async () => {
    const found = await readFile(path.join(folder, entry), 'utf8');
    // Names of files change with their content, so that another build is another page.
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

/** A build without one is served without hints. */
async function readManifest(folder: string): Promise<Manifest> {
  try {
    return JSON.parse(await readFile(path.join(folder, 'pages.json'), 'utf8')) as Manifest;
  } catch {
    return {};
  }
}

/** A file of the build and all that it cannot begin without. */
function collectChunks(manifest: Manifest, name: string, found = new Set<Chunk>()): Set<Chunk> {
  const chunk = manifest[name];
  if (chunk === undefined || found.has(chunk)) return found;
  found.add(chunk);
  for (const each of chunk.imports ?? []) collectChunks(manifest, each, found);
  return found;
}
