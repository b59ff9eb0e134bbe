import { useQuery } from '@tanstack/react-query';
import { useLocation } from '#web/core/router.ts';
import { t } from '@lingui/core/macro';
import type { SitePageName } from '#shared/core/site-page-names.ts';
import { hasStatus } from '#web/core/errors.ts';
import { useCachedSession } from '#web/core/session.ts';
import { LoadError } from '#web/ui/LoadError.tsx';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { Markdown } from '#web/ui/markdown/Markdown.tsx';
import { NotFoundPage } from '#web/ui/MessagePage.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { sitePageLabels } from '#web/ui/SiteLinks.tsx';
import { SkeletonLines } from '#web/ui/Skeleton.tsx';
import { VisitorFrame } from '#web/ui/VisitorFrame.tsx';
import { MemberLayout } from './MemberLayout.tsx';
import { findSitePage, sitePageQuery } from './site-pages.ts';
import classes from './SitePage.module.css';
import type { ReactNode } from 'react';

/** The layout of these pages: that of members, or the one for visitors who may not read the community. */
export function SitePageLayout({ children }: { children: ReactNode }) {
  const session = useCachedSession();
  if (session?.member != null || session?.publicReading === true)
    return <MemberLayout>{children}</MemberLayout>;
  return <VisitorFrame wide>{children}</VisitorFrame>;
}

/** A page whose text is a site setting: 'About', 'Rules' or 'Privacy'. */
export function SitePage() {
  const name = findSitePage(useLocation().pathname);
  return name === undefined ? <NotFoundPage /> : <PageWithText key={name} name={name} />;
}

function PageWithText({ name }: { name: SitePageName }) {
  const query = useQuery(sitePageQuery(name));
  const title = sitePageLabels[name]();
  const isMissing = hasStatus(query.error, 404);
  usePageTitle(isMissing ? t`Page not found` : title);
  const { data: page } = query;
  if (isMissing) return <NotFoundPage />;
  return (
    <>
      <PageHeading className={classes.heading}>{title}</PageHeading>
      {query.isError && page === undefined && (
        <LoadError text={t`The page could not be loaded.`} query={query} />
      )}
      {query.isPending && (
        <LoadingRegion label={t`Loading the page`}>
          <SkeletonLines widths={['90%', '80%', '85%', '40%']} />
        </LoadingRegion>
      )}
      {page !== undefined && <Markdown text={page.text} headingLevel={2} className={classes.text} />}
    </>
  );
}
