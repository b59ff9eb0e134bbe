import { tagKey } from '#shared/core/text.ts';
import { t } from '@lingui/core/macro';
import { VisuallyHidden } from '#web/ui/VisuallyHidden.tsx';
import { IconPlus } from '@tabler/icons-react';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect } from 'react';
import type { TagSuggestion } from '#shared/discovery/similar.ts';
import { api, readJson } from '#web/core/api.ts';
import { formatCount, formatShortCount } from '#web/core/format.ts';
import { formatCountOf } from '#web/ui/Count.tsx';
import { canAddTag, getUnfinishedTag, hasTag } from './ask-draft.ts';
import classes from './TagSuggestions.module.css';

const maxSuggestions = 6;

/** Tags to add by pressing them: completions of the tag being typed, otherwise tags that fit the text. */
export function TagSuggestions(props: {
  typed: string;
  fitting: readonly TagSuggestion[];
  /** The tag field. While it has the focus, the suggestions are scrolled into view. */
  field: RefObject<HTMLElement | null>;
  onAdd: (tag: string) => void;
  ref: RefObject<HTMLDivElement | null>;
}) {
  const { typed, fitting, field, onAdd, ref } = props;
  const unfinished = getUnfinishedTag(typed);
  const completing = useTagCompletions(unfinished);
  const wanted = completing.length > 0 ? completing : fitting;
  const suggested = canAddTag(typed) ? wanted.filter(({ name }) => !hasTag(typed, name)) : [];
  const isSuggesting = suggested.length > 0;
  useEffect(() => {
    if (isSuggesting && field.current === document.activeElement)
      ref.current?.scrollIntoView({ block: 'nearest' });
  }, [isSuggesting, field, ref]);
  return (
    <div ref={ref} className={classes.row}>
      {isSuggesting && (
        <ul className={classes.tags} aria-label={t`Suggestions`}>
          {suggested.slice(0, maxSuggestions).map(({ name, questionsCount }) => (
            <li key={name}>
              <button
                type="button"
                className={classes.tag}
                title={formatCountOf('question', questionsCount, formatCount(questionsCount))}
                onClick={() => onAdd(name)}
              >
                <VisuallyHidden>{t`Add tag ${name}`}</VisuallyHidden>
                <IconPlus size={14} aria-hidden />
                <bdi aria-hidden>{name}</bdi>
                <span className={classes.count} aria-hidden>
                  {formatShortCount(questionsCount)}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Known tags that start with or contain the typed text: those that start with it first, then by use. */
function useTagCompletions(unfinished: string): TagSuggestion[] {
  const [named] = useDebouncedValue(tagKey(unfinished), 200);
  const { data } = useQuery({
    queryKey: ['tag-completions', named],
    queryFn: ({ signal }) => readJson(api.tags.$get({ query: { q: named } }, { init: { signal } })),
    enabled: named !== '',
    staleTime: 60_000,
    retry: false,
    ...(named === '' ? {} : { placeholderData: keepPreviousData }),
  });
  const begins = (tag: string) => (tagKey(tag).startsWith(tagKey(unfinished)) ? 0 : 1);
  if (unfinished === '' || data === undefined) return [];
  return data.items
    .filter(({ name }) => tagKey(name).includes(tagKey(unfinished)))
    .map(({ name, questionsCount }) => ({ name, questionsCount }))
    .toSorted((a, b) => begins(a.name) - begins(b.name));
}
