import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { useLanguage } from '#web/languages/languages.ts';
import type { Router } from '#web/core/router.ts';
import { RouterView } from './RouterView.tsx';

/**
 * The web app, rendered by the server and in the browser. Remounts when the language changes, since texts are created
 * while rendering.
 */
export function App(props: { router: Router; queryClient: QueryClient }) {
  const language = useLanguage();
  return (
    <StrictMode>
      <I18nProvider i18n={i18n} key={language}>
        <QueryClientProvider client={props.queryClient}>
          <RouterView router={props.router} />
        </QueryClientProvider>
      </I18nProvider>
    </StrictMode>
  );
}
