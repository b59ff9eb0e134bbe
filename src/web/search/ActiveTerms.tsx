import { t } from '@lingui/core/macro';
import { useRouter } from '@tanstack/react-router';
import { IconX } from '@tabler/icons-react';
import { parseSearch, type SearchTerm, withoutTerm } from '#shared/search-query.ts';
import { limitTerms } from '#shared/search-terms.ts';
import { exceededSentence, problemOf, sentenceOf, unknownSentence } from './sentences.ts';
import { addressOf, type Search } from './search.ts';
import classes from './ActiveTerms.module.css';

/** The operators of the query, each with a button that takes it out, and what was taken for words. */
export function ActiveTerms({ search, unknown }: { search: Search; unknown: readonly string[] }) {
  const router = useRouter();
  if (search.kind === 'users') return null;
  const { terms, exceeded } = limitTerms(parseSearch(search.q));
  const operators = terms.flatMap((term) => {
    const sentence = unknown.includes(term.source) ? null : sentenceOf(term);
    return sentence === null ? [] : [{ term, sentence }];
  });
  const notes = new Set([
    ...exceeded.map(exceededSentence),
    ...terms.map(problemOf).filter((note) => note !== null),
    ...unknown.map(unknownSentence),
  ]);

  function remove(term: SearchTerm) {
    void router.navigate({ ...addressOf({ ...search, q: withoutTerm(search.q, term) }), resetScroll: false });
  }

  return (
    <>
      {operators.length > 0 && (
        <ul className={classes.terms} aria-label={t`Search narrowed to`}>
          {operators.map(({ term, sentence }) => (
            <li key={term.start} className={classes.term}>
              <span dir="auto" className={classes.sentence}>
                {sentence}
              </span>
              <button
                type="button"
                className={classes.remove}
                aria-label={t`Remove: ${sentence}`}
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
