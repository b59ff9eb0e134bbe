import { NativeSelect } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { searchKind, searchSort, type SearchKind, type SearchSort } from '#shared/search.ts';
import type { Search } from './search.ts';
import classes from './SearchControls.module.css';

const kinds: Readonly<Record<SearchKind, string>> = {
  questions: 'Questions',
  answers: 'Answers',
  users: 'Users',
};
const sorts: Readonly<Record<SearchSort, string>> = {
  relevance: 'Relevance',
  recent: 'Most Recent',
  popular: 'Most Popular',
};

/** What to search in, and in what order; both are in the address. */
export function SearchControls({ search }: { search: Search }) {
  const router = useRouter();

  function go(next: Search) {
    void router.navigate({
      to: '/search',
      search: {
        q: next.q === '' ? undefined : next.q,
        in: next.kind === 'questions' ? undefined : next.kind,
        sort: next.sort === 'relevance' ? undefined : next.sort,
      },
      resetScroll: false,
    });
  }

  const look = { root: classes.select ?? '', label: classes.label ?? '' };
  return (
    <div className={classes.controls}>
      <NativeSelect
        label="Search in"
        size="md"
        classNames={look}
        data={searchKind.options.map((value) => ({ value, label: kinds[value] }))}
        value={search.kind}
        onChange={(event) => go({ ...search, kind: searchKind.parse(event.currentTarget.value) })}
      />
      <NativeSelect
        label="Sort by"
        size="md"
        classNames={look}
        data={searchSort.options.map((value) => ({ value, label: sorts[value] }))}
        value={search.sort}
        onChange={(event) => go({ ...search, sort: searchSort.parse(event.currentTarget.value) })}
      />
    </div>
  );
}
