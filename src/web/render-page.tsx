import type { ReactNode } from 'react';
import { renderToReadableStream } from 'react-dom/server';
import type { RenderPage } from '#shared/core/page-rendering.ts';
import { App } from './app/App.tsx';
import { routes } from './app/routes.ts';
import { setResponseSource } from './core/inlined-responses.ts';
import { setSiteOrigin } from './core/paths.ts';
import { Router } from './core/router.ts';
import { createQueryClient } from './core/query-client.ts';
import { setRenderedAt } from './ui/Time.tsx';
import { activateServerLanguage } from './languages/languages.ts';

/**
 * Renders pages on the server (docs/decisions/052). The language and the responses are global while a page renders, so
 * the server calls it for one page after the other (src/server/core/page-renderer.ts).
 */
export const renderPage: RenderPage = async ({ origin, path, language, time, responses }) => {
  setRenderedAt(time);
  setSiteOrigin(origin);
  setResponseSource((address) => responses.get(address) ?? null);
  const queryClient = createQueryClient();
  try {
    const router = new Router({ routes, client: queryClient, start: path });
    const requested = router.location;
    await router.load();
    const { view } = router;
    // The browser shows errors and redirects.
    if (view === undefined || 'error' in view.page || view.location !== requested) return null;
    await activateServerLanguage(language);
    return await toHtml(<App router={router} queryClient={queryClient} />);
  } finally {
    queryClient.clear();
  }
};

/** Waits for everything that is loaded on demand. Rejects with the error of any component. */
async function toHtml(app: ReactNode): Promise<string> {
  const errors: unknown[] = [];
  const stream = await renderToReadableStream(app, {
    onError: (error) => void errors.push(error),
    // Otherwise large parts would come later, moved to their place by inline scripts.
    progressiveChunkSize: Number.MAX_SAFE_INTEGER,
  });
  await stream.allReady;
  if (errors.length > 0) throw errors[0];
  return new Response(stream).text();
}
