import './app/base.css';
import '@mantine/core/styles/baseline.layer.css';
import '@mantine/core/styles/global.layer.css';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/source-serif-4/wght.css';
import './app/theme.css';
import './core/csp.ts';
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { DirectionProvider, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { startTransition, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createColorSchemeManager } from './core/color-scheme.ts';
import { getTextDirection, initLanguage, useLanguage } from './languages/languages.ts';
import { persistQueries } from './core/offline-cache.ts';
import { watchInstallPrompt } from './core/pwa.ts';
import { createQueryClient } from './core/query-client.ts';
import { createAppRouter } from './app/router.tsx';
import { theme } from './app/theme.tsx';

/**
 * How long the page stays blank while it waits for the session, in milliseconds. The session comes with the page or
 * from the server.
 */
const maxBlankMs = 1_000;

const queryClient = createQueryClient();
const colorScheme = createColorSchemeManager();
watchInstallPrompt();

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
  const router = createAppRouter(queryClient);
  // Before any request: an error message needs a language.
  await initLanguage();
  const blankTimeout = new Promise((resolve) => setTimeout(resolve, maxBlankMs));
  await Promise.race([router.load().catch(console.error), blankTimeout]);
  // The first render is interruptible; later updates by the router are synchronous.
  startTransition(() =>
    createRoot(root).render(
      <StrictMode>
        <Parley router={router} />
      </StrictMode>,
    ),
  );
}

/** Remounts when the language changes, since texts are created while rendering. */
function Parley({ router }: { router: ReturnType<typeof createAppRouter> }) {
  const language = useLanguage();
  return (
    <I18nProvider i18n={i18n} key={language}>
      <DirectionProvider initialDirection={getTextDirection(language)} detectDirection={false}>
        {/* The variables are in theme.css: the content security policy forbids writing them into <style>. */}
        <MantineProvider
          theme={theme}
          colorSchemeManager={colorScheme}
          defaultColorScheme="auto"
          withCssVariables={false}
          withGlobalClasses={false}
        >
          <QueryClientProvider client={queryClient}>
            <RouterProvider router={router} />
          </QueryClientProvider>
        </MantineProvider>
      </DirectionProvider>
    </I18nProvider>
  );
}

/** The queries that are stored for offline reading, by the first part of their keys. */
export const offlineQueryNames = ['question', 'feed', 'tags', 'following', 'profiles', 'notifications'];
