import { t } from '@lingui/core/macro';
import { useSearch } from '@tanstack/react-router';
import { usePageTitle } from '#web/platform/title.ts';
import { TagFilter } from '#web/topics/TopicFilter.tsx';
import { TagList } from '#web/topics/TopicList.tsx';
import { PageHeading } from '#web/ui/PageHeading.tsx';
import classes from './page.module.css';

export function TagsPage() {
  const { q = '', sort = 'popular' } = useSearch({ from: '/member/topics' });
  usePageTitle(t`Discover Topics`);
  return (
    <>
      <PageHeading className={classes.heading}>{t`Discover Topics`}</PageHeading>
      <TagFilter q={q.trim()} sort={sort} />
      <TagList q={q.trim()} sort={sort} />
    </>
  );
}
