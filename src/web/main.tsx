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
import { theme } from './app/theme.ts';

/** How long nothing shows where neither the page nor the server brings who is signed in, in milliseconds. */
const maxBlankMs = 1_000;

const queryClient = createQueryClient();
const colorScheme = createColorSchemeManager();
watchInstallPrompt();

// A task of its own, after that in which all programs of the page began: a slow processor stays open to what else comes.
// Not awaited at the top level: with that anywhere, the bundler leaves shared modules in dozens of small files.
setTimeout(() => void start());

async function start(): Promise<void> {
  const root = document.getElementById('root');
  if (root === null) throw new Error('index.html has no element with the id "root".');
  // WebKit; a program of its own, since the others never need it.
  if (!CSS.supports('overflow-anchor', 'auto'))
    void import('./core/scroll-anchor.ts').then(({ installScrollAnchoring }) => installScrollAnchoring());
  persistQueries(queryClient, offlineQueryNames);
  const router = createAppRouter(queryClient);
  // Before anything is asked: what is refused is said in a language.
  await initLanguage();
  const blankTimeout = new Promise((resolve) => setTimeout(resolve, maxBlankMs));
  await Promise.race([router.load().catch(console.error), blankTimeout]);
  // With the page loaded, React gives way between the parts of what it shows; what the router changes later is shown in
  // one piece.
  startTransition(() =>
    createRoot(root).render(
      <StrictMode>
        <Parley router={router} />
      </StrictMode>,
    ),
  );
}

/** Built anew in another language, since texts are made where they are shown. */
function Parley({ router }: { router: ReturnType<typeof createAppRouter> }) {
  const language = useLanguage();
  return (
    <I18nProvider i18n={i18n} key={language}>
      <DirectionProvider initialDirection={getTextDirection(language)} detectDirection={false}>
        {/* theme.css holds the variables: nothing is written into <style>, as the content security policy asks. */}
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

/** What can be read without a network once it was opened: the first parts of the keys under which features cache it. */
export const offlineQueryNames = ['question', 'feed', 'topics', 'following', 'profiles', 'notifications'];
