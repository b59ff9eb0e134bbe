import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { DirectionProvider, MantineProvider, type MantineColorSchemeManager } from '@mantine/core';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { getTextDirection } from '#shared/core/text.ts';
import { useLanguage } from '#web/languages/languages.ts';
import type { createAppRouter } from './router.tsx';
import { theme } from './theme.tsx';

/**
 * The web app, rendered by the server and in the browser. Remounts when the language changes, since texts are created
 * while rendering.
 */
export function App(props: {
  router: ReturnType<typeof createAppRouter>;
  queryClient: QueryClient;
  colorScheme: MantineColorSchemeManager;
}) {
  const language = useLanguage();
  return (
    <StrictMode>
      <I18nProvider i18n={i18n} key={language}>
        <DirectionProvider initialDirection={getTextDirection(language)} detectDirection={false}>
          {/* The variables are in theme.css: the content security policy forbids writing them into <style>. */}
          <MantineProvider
            theme={theme}
            colorSchemeManager={props.colorScheme}
            defaultColorScheme="auto"
            withCssVariables={false}
            withGlobalClasses={false}
          >
            <QueryClientProvider client={props.queryClient}>
              <RouterProvider router={props.router} />
            </QueryClientProvider>
          </MantineProvider>
        </DirectionProvider>
      </I18nProvider>
    </StrictMode>
  );
}
