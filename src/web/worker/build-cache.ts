/** The files of the build this worker belongs to; vite.config.worker.ts puts it in. */
declare const BUILD: {
  /** Another one where any file is another. */
  version: string;
  /** Paths of files whose name stays the same, '/' among them: the page that every address shows. */
  shell: readonly string[];
  /** Paths of files that are named by their content. */
  assets: readonly string[];
  /** The program that the page loads first. */
  entry: string;
};

const prefix = 'parley-build-';
const ownCacheName = prefix + BUILD.version;

/** In characters; Node takes 16 KB of headers, the address among them. */
const maxUrlLength = 8_000;

/** How many builds are kept: pages of the one before may still be open. */
const maxBuilds = 2;

/**
 * Fetches what the build consists of; without all of it the worker is not installed, and the one before goes on.
 * @throws when a file is missing, or of another build: while the nodes of a community are upgraded, one after the other.
 */
export async function cacheBuild(): Promise<void> {
  const cache = await caches.open(ownCacheName);
  for (const path of BUILD.assets) {
    if ((await cache.match(path)) !== undefined) continue;
    // One at a time, the page's own requests first; most are in the browser's cache already.
    await cache.put(path, (await caches.match(path)) ?? (await fetchOk(path)));
  }
  for (const path of BUILD.shell) {
    // As a visitor: a page for a member holds what is theirs.
    const file = await fetchOk(path, { cache: 'no-cache', credentials: 'omit' });
    if (path === '/' && !(await file.clone().text()).includes(BUILD.entry))
      throw new Error('The page is of another build.');
    await cache.put(path, file);
  }
}

export async function deleteOldBuilds(): Promise<void> {
  // In the order in which they were made.
  const builds = (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== ownCacheName);
  const old = builds.slice(0, Math.max(0, builds.length - (maxBuilds - 1)));
  await Promise.all(old.map((name) => caches.delete(name)));
}

/** The answer to a request for a file of the build; null for everything else, which goes its usual way. */
export function respondFromBuild(request: Request): Promise<Response> | null {
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin || pathname.startsWith('/api/')) return null;
  if (request.mode === 'navigate')
    // What another app shares may be longer than a server lets an address be; the page makes it shorter.
    return request.url.length > maxUrlLength ? shellFirst(request) : networkFirst(request, '/');
  if (pathname.startsWith('/assets/')) return cacheFirst(request);
  return BUILD.shell.includes(pathname) ? networkFirst(request, pathname) : null;
}

async function shellFirst(request: Request): Promise<Response> {
  return (await shellFile('/')) ?? fetch(request);
}

/** A name belongs to one content, whichever build it is of. */
async function cacheFirst(request: Request): Promise<Response> {
  const cached = await caches.match(request, { ignoreVary: true }).catch(() => undefined);
  return cached ?? fetch(request);
}

async function networkFirst(request: Request, path: string): Promise<Response> {
  try {
    const response = await fetch(request);
    // A proxy whose server is restarting says so; the app itself does it better.
    if (![502, 503, 504].includes(response.status)) return response;
    return (await shellFile(path)) ?? response;
  } catch (error) {
    const cached = await shellFile(path);
    if (cached === undefined) throw error;
    return cached;
  }
}

async function shellFile(path: string): Promise<Response | undefined> {
  const cache = await caches.open(ownCacheName);
  return cache.match(path, { ignoreVary: true });
}

async function fetchOk(path: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(path, init);
  if (!response.ok) throw new Error(`${path} is not there: ${response.status}`);
  return response;
}
