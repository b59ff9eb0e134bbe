import { t } from '@lingui/core/macro';
import { useSearch } from '@tanstack/react-router';
import { getSearchKind, parseSearch } from '#shared/search-query.ts';
import { canSearch, type Search } from '#web/search/search.ts';
import { SearchControls } from '#web/search/SearchControls.tsx';
import { SearchResults } from '#web/search/SearchResults.tsx';
import { SearchSuggestions } from '#web/search/SearchSuggestions.tsx';
import { usePageTitle } from '#web/platform/title.ts';
import { PageHeading } from '#web/ui/PageHeading.tsx';
import classes from './page.module.css';

export function SearchPage() {
  const { q: typed = '', in: kind = 'questions', sort = 'relevance' } = useSearch({ from: '/member/search' });
  const q = typed.trim();
  const search: Search = { q, kind: getSearchKind(parseSearch(q)) ?? kind, sort };
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
              ? t`Type what you are looking for into the search box at the top.`
              : t`Search for something shorter: up to 200 characters.`}
          </p>
          <SearchSuggestions q={q} kind={kind} searched={false} />
        </>
      )}
    </>
  );
}
