import { t } from '@lingui/core/macro';
import { useRouter } from '#web/core/router.ts';
import type { SearchKind, SearchSort } from '#shared/discovery/search.ts';
import { SelectField } from '#web/ui/SelectField.tsx';
import { searchPath, type Search, removeKindTerm } from './search.ts';
import classes from './SearchResults.module.css';

const kindOptions = (): (readonly [SearchKind, string])[] => [
  ['questions', t`Questions`],
  ['answers', t`Answers`],
  ['users', t`Users`],
];
const sortOptions = (): (readonly [SearchSort, string])[] => [
  ['relevance', t`Relevance`],
  ['recent', t`Most Recent`],
  ['popular', t`Most Popular`],
];

/** What to search in and how to sort. Both are in the address. */
export function SearchControls({ search }: { search: Search }) {
  const router = useRouter();

  function go(next: Search) {
    void router.navigate(searchPath(next), { resetScroll: false });
  }

  return (
    <div className={classes.controls}>
      <SelectField
        label={t`Search in`}
        short
        options={kindOptions()}
        value={search.kind}
        onChange={(kind) => go({ ...search, q: removeKindTerm(search.q), kind })}
      />
      <SelectField
        label={t`Sort by`}
        short
        options={sortOptions()}
        value={search.sort}
        onChange={(sort) => go({ ...search, sort })}
      />
    </div>
  );
}
