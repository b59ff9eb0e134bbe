import { t } from '@lingui/core/macro';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { IconSearch } from '@tabler/icons-react';
import { useRouter, usePageSearch } from '#web/core/router.ts';
import { TagList } from './TagList.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import page from '#web/ui/page.module.css';
import type { TagSort } from '#shared/discovery/tags.ts';
import { useSearchParamText } from '#web/core/useSearchParamText.ts';
import { SelectField } from '#web/ui/SelectField.tsx';
import classes from './TagCard.module.css';
import { parseTagsSearch } from '#web/core/page-search.ts';
import { paths, stringifySearch } from '#web/core/paths.ts';

export function TagsPage() {
  const { q = '', sort = 'popular' } = usePageSearch(parseTagsSearch);
  usePageTitle(t`Discover Topics`);
  return (
    <>
      <PageHeading className={page.heading}>{t`Discover Topics`}</PageHeading>
      <TagFilter q={q.trim()} sort={sort} />
      <TagList q={q.trim()} sort={sort} />
    </>
  );
}

const sortOptions = (): readonly (readonly [TagSort, string])[] => [
  ['popular', t`Most Popular`],
  ['alphabetical', t`Alphabetical`],
  ['active', t`Recently Active`],
];

/** Which tags /topics shows and how they are sorted. Both are in the address. */
function TagFilter({ q, sort }: { q: string; sort: TagSort }) {
  const router = useRouter();
  const { text, type, sends } = useSearchParamText(q, (typed) => go({ q: typed, sort }, true));

  function go(next: { q: string; sort: TagSort }, replace: boolean) {
    sends(next.q);
    const search = stringifySearch({
      q: next.q.trim() === '' ? undefined : next.q.trim(),
      sort: next.sort === 'popular' ? undefined : next.sort,
    });
    void router.navigate(paths.tags + search, {
      replace,
      resetScroll: false,
    });
  }

  return (
    <search>
      <form
        className={classes.filter}
        onSubmit={(event) => {
          event.preventDefault();
          go({ q: text, sort }, true);
        }}
      >
        <TextInput
          type="search"
          aria-label={t`Search topics`}
          placeholder={t`Search topics`}
          autoComplete="off"
          enterKeyHint="search"
          maxLength={200}
          leftSection={<IconSearch size={18} stroke={1.6} aria-hidden />}
          value={text}
          onChange={(event) => type(event.currentTarget.value)}
        />
        <SelectField
          label={t`Sort by`}
          short
          options={sortOptions()}
          value={sort}
          onChange={(sort) => go({ q: text, sort }, false)}
        />
      </form>
    </search>
  );
}
