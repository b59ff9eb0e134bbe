import { t } from '@lingui/core/macro';
import { useMediaQuery } from '@mantine/hooks';
import { usePageSearch } from '#web/core/router.ts';
import { Suspense } from 'react';
import type { Feed } from '#shared/discovery/feeds.ts';
import { FeedList } from './FeedList.tsx';
import { lazyComponent } from '#web/core/lazy.ts';
import { useCachedSession } from '#web/core/session.ts';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { TabLinks, type TabLink } from '#web/ui/TabLinks.tsx';
import classes from '#web/ui/page.module.css';
import { parseHomeSearch } from '#web/core/page-search.ts';

const HomeAside = lazyComponent(async () => {
  const { HomeSidebar } = await import('./HomeSidebar.tsx');
  return { default: HomeSidebar };
});

const tabs = (): readonly TabLink<Feed>[] => [
  { key: 'recent', label: t`Recent`, href: '/' },
  { key: 'popular', label: t`Popular`, href: '/?tab=popular' },
  { key: 'unanswered', label: t`Unanswered`, href: '/?tab=unanswered' },
];

const WelcomeText = lazyComponent(() => import('#web/ui/WelcomeText.tsx'));

export function HomePage() {
  const { tab: feed = 'recent' } = usePageSearch(parseHomeSearch);
  usePageTitle(t`Questions for you`);
  const session = useCachedSession();
  const hasWelcome = session?.member === null && session.welcomeText;
  const wide = useMediaQuery('(min-width: 80em)', false);
  return (
    <>
      <div className={classes.header}>
        <PageHeading className={classes.heading}>{t`Questions for you`}</PageHeading>
      </div>
      {hasWelcome && (
        <Suspense>
          <WelcomeText />
        </Suspense>
      )}
      <TabLinks label={t`Feeds`} tabs={tabs()} current={feed}>
        <FeedList key={feed} feed={feed} />
      </TabLinks>
      {wide && (
        <Suspense>
          <HomeAside feed={feed} />
        </Suspense>
      )}
    </>
  );
}
