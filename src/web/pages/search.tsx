import { useSearch } from '@tanstack/react-router';
import { canSearch, type Search } from '#web/search/search.ts';
import { SearchControls } from '#web/search/SearchControls.tsx';
import { SearchResults } from '#web/search/SearchResults.tsx';
import { SearchSuggestions } from '#web/search/SearchSuggestions.tsx';
import { usePageTitle } from '#web/platform/title.ts';
import { PageHeading } from '#web/ui/PageHeading.tsx';
import classes from './page.module.css';

export function SearchPage() {
  const { q: typed = '', in: kind = 'questions', sort = 'relevance' } = useSearch({ from: '/member/search' });
  const search: Search = { q: typed.trim(), kind, sort };
  const { q } = search;
  usePageTitle(q === '' ? 'Search' : `${q} · Search`);

  return (
    <>
      <PageHeading className={classes.heading}>
        {q === '' ? 'Search' : <span dir="auto">Results for “{q}”</span>}
      </PageHeading>
      <SearchControls search={search} />
      {canSearch(q) ? (
        <SearchResults key={JSON.stringify(search)} search={search} />
      ) : (
        <>
          <p className={classes.lead}>
            {q === ''
              ? 'Type what you are looking for into the search box at the top.'
              : 'Search for something shorter: up to 200 characters.'}
          </p>
          <SearchSuggestions q={q} kind={kind} />
        </>
      )}
    </>
  );
}
