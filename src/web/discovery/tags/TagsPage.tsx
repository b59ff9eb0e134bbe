import { t } from '@lingui/core/macro';
import { useSearch } from '@tanstack/react-router';
import { usePageTitle } from '#web/core/page-title.ts';
import { TagFilter } from './TagFilter.tsx';
import { TagList } from './TagList.tsx';
import { PageHeading } from '#web/ui/PageHeading.tsx';
import classes from '#web/ui/page.module.css';

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
