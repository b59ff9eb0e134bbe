import { t } from '@lingui/core/macro';
import { useRouter } from '#web/core/router.ts';
import { IconX } from '@tabler/icons-react';
import { parseSearch, type SearchTerm, removeTerm } from '#shared/discovery/search-query.ts';
import { limitTerms } from '#shared/discovery/search-term-limits.ts';
import { exceededMessage, termProblemMessage, describeTerm, unknownTermMessage } from './search-messages.ts';
import { requestHeadingFocus } from '#web/ui/PageHeading.tsx';
import { searchPath, type Search } from './search.ts';
import classes from './SearchTerms.module.css';

/** The operators of the query, each with a button that removes it, and the parts that were read as words. */
export function SearchTerms({ search, unknown }: { search: Search; unknown: readonly string[] }) {
  const router = useRouter();
  if (search.kind === 'users') return null;
  const { terms, exceeded } = limitTerms(parseSearch(search.q));
  const operators = terms.flatMap((term) => {
    const description = unknown.includes(term.source) ? null : describeTerm(term);
    return description === null ? [] : [{ term, description }];
  });
  const notes = new Set([
    ...exceeded.map(exceededMessage),
    ...terms.map(termProblemMessage).filter((note) => note !== null),
    ...unknown.map(unknownTermMessage),
  ]);

  function remove(term: SearchTerm) {
    // The button disappears.
    requestHeadingFocus();
    void router.navigate(searchPath({ ...search, q: removeTerm(search.q, term) }), { resetScroll: false });
  }

  return (
    <>
      {operators.length > 0 && (
        <ul className={classes.terms} aria-label={t`Search filters`}>
          {operators.map(({ term, description }) => (
            <li key={term.start} className={classes.term}>
              <span dir="auto" className={classes.label}>
                {description}
              </span>
              <button
                type="button"
                className={classes.remove}
                aria-label={t`Remove filter: ${description}`}
                title={t`Remove`}
                onClick={() => remove(term)}
              >
                <IconX size={14} stroke={2} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
      {[...notes].map((note) => (
        <p key={note} role="note" dir="auto" className={classes.note}>
          {note}
        </p>
      ))}
    </>
  );
}
