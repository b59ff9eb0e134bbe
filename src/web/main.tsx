import './app/base.css';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/source-serif-4/wght.css';
import './app/theme.css';
import './core/csp.ts';
import { startTransition } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { renderedAtAttribute } from '#shared/core/protocol.ts';
import { watchForNewVersions } from './core/app-version.ts';
import { watchColorScheme } from './core/color-scheme.ts';
import { initLanguage } from './languages/languages.ts';
import { restoreElementStyles } from './core/element-styles.ts';
import { persistQueries } from './core/offline-cache.ts';
import { watchInstallPrompt } from './core/pwa.ts';
import { createQueryClient } from './core/query-client.ts';
import { setRenderedAt } from './ui/Time.tsx';
import { App } from './app/App.tsx';
import { routes } from './app/routes.ts';
import { Router } from './core/router.ts';

/**
 * How long the page stays blank while it waits for the session, in milliseconds. The session comes with the page or
 * from the server.
 */
const maxBlankMs = 1_000;

const queryClient = createQueryClient();
watchColorScheme();
watchInstallPrompt();
watchForNewVersions();

// A separate task after the one that evaluates all modules, so that a slow processor can handle input in between. Not a
// top-level await: with one anywhere, the bundler splits shared modules into dozens of small files.
setTimeout(() => void start());

async function start(): Promise<void> {
  const root = document.getElementById('root');
  if (root === null) throw new Error('index.html has no element with the id "root".');
  // Only WebKit needs it, so it is a separate chunk.
  if (!CSS.supports('overflow-anchor', 'auto'))
    void import('./core/scroll-anchor.ts').then(({ installScrollAnchoring }) => installScrollAnchoring());
  persistQueries(queryClient, offlineQueryNames);
  const router = new Router({ routes, client: queryClient });
  const renderedLanguage = document.documentElement.lang;
  // Before any request: an error message needs a language.
  await initLanguage();
  const renderedAt = root.getAttribute(renderedAtAttribute);
  const isRendered = renderedAt !== null && document.documentElement.lang === renderedLanguage;
  const blankTimeout = new Promise((resolve) => setTimeout(resolve, maxBlankMs));
  await Promise.race([router.load(), blankTimeout]);
  const app = <App router={router} queryClient={queryClient} />;
  startTransition(() => {
    if (!isRendered) {
      root.removeAttribute(renderedAtAttribute);
      createRoot(root).render(app);
      return;
    }
    setRenderedAt(Number(renderedAt));
    restoreElementStyles(root);
    hydrateRoot(root, app);
  });
}

/** The queries that are stored for offline reading, by the first part of their keys. */
export const offlineQueryNames = [
  'question',
  'feed',
  'announcements',
  'tags',
  'following',
  'profiles',
  'activity',
  'notifications',
];
