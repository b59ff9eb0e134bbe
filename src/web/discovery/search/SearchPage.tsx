import { t } from '@lingui/core/macro';
import { usePageSearch } from '#web/core/router.ts';
import { canSearch, toSearch } from './search.ts';
import { SearchControls } from './SearchControls.tsx';
import { SearchResults } from './SearchResults.tsx';
import { SearchSuggestions } from './SearchSuggestions.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import classes from '#web/ui/page.module.css';
import { parseResultsSearch } from '#web/core/page-search.ts';

export function SearchPage() {
  const { in: kind = 'questions', ...wanted } = usePageSearch(parseResultsSearch);
  const search = toSearch({ ...wanted, in: kind });
  const { q } = search;
  usePageTitle(q === '' ? t`Search` : t`${q} · Search`);

  return (
    <>
      <PageHeading className={classes.heading}>
        {q === '' ? t`Search` : <span dir="auto">{t`Results for “${q}”`}</span>}
      </PageHeading>
      <SearchControls search={search} />
      {canSearch(q) ? (
        <SearchResults key={JSON.stringify(search)} search={search} />
      ) : (
        <>
          <p className={classes.lead}>
            {q === ''
              ? t`Enter your search in the box at the top.`
              : t`The search is too long. Use 200 characters or fewer.`}
          </p>
          <SearchSuggestions q={q} kind={kind} searched={false} />
        </>
      )}
    </>
  );
}
