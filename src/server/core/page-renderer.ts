import { existsSync } from 'node:fs';
import { Piscina } from 'piscina';
import type { RenderPage } from '#shared/core/page-rendering.ts';

/** In milliseconds, with the time that the page waits for others. A page takes 10 to 150 ms. */
const maxRenderingMs = 10_000;

/** The number of waiting pages from which on the browser renders further ones. */
const maxWaiting = 16;

/**
 * Renders pages in a thread, one after the other, so that they delay no other request of the node. A rendering that
 * takes too long is ended with its thread, and rejects with an `AbortError`.
 * @param file the part of the web build that exports `renderPage` (src/web/render-page.tsx)
 * @returns null if the build has no such file
 */
export function createPageRenderer(file: string, timeLimitMs = maxRenderingMs): RenderPage | null {
  if (!existsSync(file)) return null;
  const threads = new Piscina<Parameters<RenderPage>[0], string | null>({
    filename: file,
    name: 'renderPage',
    minThreads: 1,
    maxThreads: 1,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  // A thread that was ended for its time can have sent its page, which Piscina reports here. The errors of pages that
  // are being rendered reject their promises.
  threads.on('error', () => {});
  return async (page) => {
    if (threads.queueSize >= maxWaiting) return null;
    return threads.run(page, { signal: AbortSignal.timeout(timeLimitMs) });
  };
}
