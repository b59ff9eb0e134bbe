/** The files of the worker's own build, inserted by vite.config.worker.ts. */
declare const BUILD: {
  /** Differs if any file differs. */
  version: string;
  /** Paths of files with fixed names, including '/', the page for every address. */
  shell: readonly string[];
  /** Paths of files with a content hash in their name. */
  assets: readonly string[];
  /** The entry script of the page. */
  entry: string;
};

const prefix = 'parley-build-';
const ownCacheName = prefix + BUILD.version;

/** In characters. Node accepts 16 KB of headers including the address. */
const maxUrlLength = 8_000;

/** As for data (docs/decisions/022): a network that does not respond must not delay the start for long. */
const timeoutMs = 6_000;

/** The number of builds to store: pages of the previous one may still be open. */
const maxBuilds = 2;

/**
 * Stores all files of the build. If one is missing, the worker is not installed and the previous one stays.
 * @throws if a file is missing or belongs to another build, as while the nodes of a cluster are upgraded one after
 * another.
 */
export async function cacheBuild(): Promise<void> {
  const cache = await caches.open(ownCacheName);
  for (const path of BUILD.assets) {
    if ((await cache.match(path)) !== undefined) continue;
    // One file at a time, so that the page's own requests come first. Most files are already in the browser's cache.
    await cache.put(path, (await caches.match(path)) ?? (await fetchOk(path)));
  }
  for (const path of BUILD.shell) {
    // Without cookies: the page for a member contains private data. The page of '/' can have the content of a visitor.
    const address = path === '/' ? '/index.html' : path;
    const file = await fetchOk(address, { cache: 'no-cache', credentials: 'omit' });
    if (path === '/' && !(await file.clone().text()).includes(BUILD.entry))
      throw new Error('The page belongs to another build.');
    await cache.put(path, file);
  }
}

export async function deleteOldBuilds(): Promise<void> {
  // In the order of their creation.
  const builds = (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== ownCacheName);
  const old = builds.slice(0, Math.max(0, builds.length - (maxBuilds - 1)));
  await Promise.all(old.map((name) => caches.delete(name)));
}

/** The response to a request for a file of the build; null for everything else, which the browser handles as usual. */
export function respondFromBuild(request: Request): Promise<Response> | null {
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin || pathname.startsWith('/api/')) return null;
  if (request.mode === 'navigate')
    // Content shared by another app can exceed the server's limit for addresses. The page shortens it.
    return request.url.length > maxUrlLength ? shellFirst(request) : networkFirst(request, '/');
  if (pathname.startsWith('/assets/')) return cacheFirst(request);
  return BUILD.shell.includes(pathname) ? networkFirst(request, pathname) : null;
}

async function shellFirst(request: Request): Promise<Response> {
  return (await shellFile('/')) ?? fetch(request);
}

/** The name contains a content hash, so a file of any build fits. */
async function cacheFirst(request: Request): Promise<Response> {
  const cached = await caches.match(request, { ignoreVary: true }).catch(() => undefined);
  return cached ?? fetch(request);
}

async function networkFirst(request: Request, path: string): Promise<Response> {
  const fetched = fetch(request);
  const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), timeoutMs));
  const response = await Promise.race([fetched, late]).catch(() => undefined);
  // A proxy responds like this while its server restarts. The app shows a better message.
  if (response !== undefined && ![502, 503, 504].includes(response.status)) return response;
  return (await shellFile(path)) ?? response ?? fetched;
}

async function shellFile(path: string): Promise<Response | undefined> {
  const cache = await caches.open(ownCacheName);
  return cache.match(path, { ignoreVary: true });
}

async function fetchOk(path: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(path, init);
  if (!response.ok) throw new Error(`Failed to fetch ${path}: ${response.status}`);
  return response;
}
