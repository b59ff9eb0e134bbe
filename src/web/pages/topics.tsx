import { t } from '@lingui/core/macro';
import { useSearch } from '@tanstack/react-router';
import { usePageTitle } from '#web/platform/title.ts';
import { TopicFilter } from '#web/topics/TopicFilter.tsx';
import { TopicList } from '#web/topics/TopicList.tsx';
import { PageHeading } from '#web/ui/PageHeading.tsx';
import classes from './page.module.css';

export function TopicsPage() {
  const { q = '', sort = 'popular' } = useSearch({ from: '/member/topics' });
  usePageTitle(t`Discover Topics`);
  return (
    <>
      <PageHeading className={classes.heading}>{t`Discover Topics`}</PageHeading>
      <TopicFilter q={q.trim()} sort={sort} />
      <TopicList q={q.trim()} sort={sort} />
    </>
  );
}
