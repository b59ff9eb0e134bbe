/**
 * Takes the place of the helper with which Vite wraps every `import()` (vite.config.parts.ts).
 *
 * A browser does not request a module again once it has failed to load, nor one whose imports have failed: only a
 * reload of the page would help. So all files of a part are fetched first, which can fail any number of times without
 * this effect. The import then takes them from the browser's cache.
 * @param load contains the `import()`
 * @param files the scripts and styles that the part needs, as paths below `/`. It is empty if the part is one script.
 */
export async function loadPart<Part>(load: () => Promise<Part>, files: string[] = []): Promise<Part> {
  try {
    const addresses =
      files.length > 0 ? files.map((file) => new URL(`/${file}`, location.href).href) : ownAddress(load);
    await Promise.all(addresses.map((address) => (loading[address] ??= loadFile(address))));
    return await load();
  } catch (error) {
    // core/app-version.ts listens to Vite's event.
    window.dispatchEvent(new Event('vite:preloadError'));
    throw error;
  }
}

/** By address. Without those that failed. */
const loading: Record<string, Promise<unknown>> = {};

/** Vite does not list the script of a part without other files. All scripts of the build are in one directory. */
function ownAddress(load: () => Promise<unknown>): string[] {
  const [, name] = /\bimport\(["'`](\.\/[\w.-]+)["'`]\)/u.exec(String(load)) ?? [];
  return name === undefined ? [] : [new URL(name, import.meta.url).href];
}

async function loadFile(address: string): Promise<unknown> {
  const { pathname } = new URL(address);
  // The page itself contains the files that it needs first.
  if (document.querySelector(`link[href="${pathname}"],script[src="${pathname}"]`) !== null) return;
  try {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`${address} failed to load: ${response.status}`);
    // Only a complete response is stored.
    await response.blob();
    if (pathname.endsWith('.css')) await addInOrder(address);
  } catch (error) {
    delete loading[address];
    throw error;
  }
}

/** Resolves when the style sheets that were added before are active, or when one of them takes too long. */
let earlierStyles: Promise<unknown> = Promise.resolve();

/** How long a style sheet delays the later ones, in milliseconds. The browser usually has it in its cache. */
const maxDelayMs = 3000;

/**
 * Adds style sheets one after the other. If one with cascade layers became active before an earlier one, Chromium would
 * look up all fonts again, and text in a font of the system would move when it got a font that had arrived too late
 * (vite.config.styles.ts).
 */
async function addInOrder(address: string): Promise<void> {
  const added = earlierStyles.then(() => addStyles(address));
  // The time begins with the turn of the style sheet, so that the next two are not added together.
  const tooLong = earlierStyles.then(() => new Promise((resolve) => setTimeout(resolve, maxDelayMs)));
  earlierStyles = Promise.race([added.catch(() => {}), tooLong]);
  await added;
}

function addStyles(address: string): Promise<unknown> {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.crossOrigin = '';
  link.href = address;
  return new Promise((resolve, reject) => {
    link.addEventListener('load', resolve);
    link.addEventListener('error', () => {
      link.remove();
      reject(new Error(`${address} failed to load`));
    });
    document.head.append(link);
  });
}
