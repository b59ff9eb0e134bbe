import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useId, type ReactNode } from 'react';
import type { SearchKind, Suggestions } from '#shared/discovery/search.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import { paths } from '#web/core/paths.ts';
import { Link } from '#web/ui/Link.tsx';
import { TagLinks } from '#web/posts/index.ts';
import { removeKindTerm } from './search.ts';
import classes from './SearchSuggestions.module.css';

/** Suggestions when nothing was found (docs/product.md 11.5) or nothing has been searched yet. */
export function SearchSuggestions({
  q,
  kind,
  searched = true,
  suggestions,
}: {
  q: string;
  kind: SearchKind;
  searched?: boolean;
  /** Undefined if no search was sent to the server. */
  suggestions?: Suggestions | undefined;
}) {
  const { tags = [], questions = [] } = suggestions ?? {};
  return (
    <div className={classes.suggestions}>
      {tags.length > 0 && (
        <SuggestionSection title={t`Similar topics`}>
          <TagLinks tags={tags} />
        </SuggestionSection>
      )}
      {questions.length > 0 && (
        <SuggestionSection title={t`Similar questions`}>
          <ul className={classes.questions}>
            {questions.map(({ id, title }) => (
              <li key={id}>
                <Link href={questionPath(id, title)} dir="auto" data-shortcut-stop>
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        </SuggestionSection>
      )}
      <SuggestionSection title={t`Search suggestions`}>
        <ul className={classes.hints}>
          {searched ? (
            <>
              <li>{t`Check the spelling, or use fewer words.`}</li>
              <li>{t`Try a more general word, or part of one: script finds JavaScript.`}</li>
            </>
          ) : (
            <li>{t`Part of a word is enough: script finds JavaScript.`}</li>
          )}
          {searched && kind !== 'questions' && (
            <li>
              <Trans>
                Search the{' '}
                <Link href={`${paths.search}?${new URLSearchParams({ q: removeKindTerm(q) }).toString()}`}>
                  questions
                </Link>{' '}
                instead.
              </Trans>
            </li>
          )}
          {kind !== 'users' && (
            <li>
              {t`Filters narrow a search: [topic], user:name, is:solved, score:5, created:2025, “exact words”, -word.`}
            </li>
          )}
          <li>
            <Trans>
              Browse the <Link href={paths.tags}>topics</Link>.
            </Trans>
          </li>
          <li>
            <Trans>
              Can't find it? <Link href={paths.ask}>Ask the community</Link>.
            </Trans>
          </li>
        </ul>
      </SuggestionSection>
    </div>
  );
}

function SuggestionSection({ title, children }: { title: string; children: ReactNode }) {
  const titleId = useId();
  return (
    <section aria-labelledby={titleId}>
      <h2 id={titleId} className={classes.title}>
        {title}
      </h2>
      {children}
    </section>
  );
}
