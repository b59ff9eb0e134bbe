import { useRouter } from '@tanstack/react-router';
import type { SearchKind, SearchSort } from '#shared/search.ts';
import { SelectField } from '#web/ui/SelectField.tsx';
import type { Search } from './search.ts';
import classes from './SearchControls.module.css';

const kinds: readonly (readonly [SearchKind, string])[] = [
  ['questions', 'Questions'],
  ['answers', 'Answers'],
  ['users', 'Users'],
];
const sorts: readonly (readonly [SearchSort, string])[] = [
  ['relevance', 'Relevance'],
  ['recent', 'Most Recent'],
  ['popular', 'Most Popular'],
];

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

  return (
    <div className={classes.controls}>
      <SelectField
        label="Search in"
        options={kinds}
        value={search.kind}
        onChange={(kind) => go({ ...search, kind })}
      />
      <SelectField
        label="Sort by"
        options={sorts}
        value={search.sort}
        onChange={(sort) => go({ ...search, sort })}
      />
    </div>
  );
}
