import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { type SitePageName, sitePageNames } from '#shared/core/site-page-names.ts';
import type { SitePage } from '#shared/core/site-pages.ts';
import { api, readJson } from '#web/core/api.ts';
import { isPageRendered } from '#web/core/hydration.ts';
import { preloadMarkdown } from '#web/ui/markdown/Markdown.tsx';

/** The page at a path such as '/rules'. */
export function findSitePage(path: string): SitePageName | undefined {
  return sitePageNames.find((name) => path.replace(/\/$/u, '') === `/${name}`);
}

export function sitePageQuery(name: SitePageName) {
  return queryOptions({
    queryKey: ['site-page', name],
    queryFn: ({ signal }): Promise<SitePage> =>
      readJson(api['site-pages'][':name'].$get({ param: { name } }, { init: { signal } })),
    staleTime: 0,
  });
}

/** Loads what the page at a path needs. Never rejects. */
export async function prefetchSitePage(client: QueryClient, path: string): Promise<void> {
  const name = findSitePage(path);
  if (name === undefined) return;
  const text = client.prefetchQuery({ ...sitePageQuery(name), retry: false });
  await Promise.all([text, isPageRendered() || preloadMarkdown().catch(() => {})]);
}
