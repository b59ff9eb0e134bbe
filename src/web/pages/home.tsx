import { t } from '@lingui/core/macro';
import { useSearch } from '@tanstack/react-router';
import type { Feed } from '#shared/feeds.ts';
import { FeedList } from '#web/feeds/FeedList.tsx';
import { usePageTitle } from '#web/platform/title.ts';
import { PageHeading } from '#web/ui/PageHeading.tsx';
import { TabLinks, type TabLink } from '#web/ui/TabLinks.tsx';
import classes from './home.module.css';

const tabs = (): readonly TabLink<Feed>[] => [
  { key: 'recent', label: t`Recent`, href: '/' },
  { key: 'popular', label: t`Popular`, href: '/?tab=popular' },
  { key: 'unanswered', label: t`Unanswered`, href: '/?tab=unanswered' },
];

export function HomePage() {
  const { tab: feed = 'recent' } = useSearch({ from: '/member/' });
  usePageTitle(t`Questions for you`);
  return (
    <>
      <PageHeading className={classes.heading}>{t`Questions for you`}</PageHeading>
      <TabLinks label={t`Feeds`} tabs={tabs()} current={feed}>
        <FeedList key={feed} feed={feed} />
      </TabLinks>
    </>
  );
}
