import { t } from '@lingui/core/macro';
import { VisuallyHidden } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef } from 'react';
import type { TagSuggestion } from '#shared/similar.ts';
import { tagKey } from '#shared/tags.ts';
import { api, read } from '#web/platform/api.ts';
import { exactCount, shortCount } from '#web/platform/counts.ts';
import { countText } from '#web/ui/count-text.ts';
import { hasRoomForTag, hasTag, unfinishedTag } from './tag-field.ts';
import classes from './TagSuggestions.module.css';

const shownAtMost = 6;

/** Tags to add with a press: while one is being typed those that complete it, else those that fit the text. */
export function TagSuggestions(props: {
  typed: string;
  fitting: readonly TagSuggestion[];
  /** Where they are typed: who is there sees what is suggested. */
  field: RefObject<HTMLElement | null>;
  onAdd: (tag: string) => void;
}) {
  const { typed, fitting, field, onAdd } = props;
  const unfinished = unfinishedTag(typed);
  const completing = useCompletions(unfinished);
  const wanted = completing.length > 0 ? completing : fitting;
  const shown = hasRoomForTag(typed) ? wanted.filter(({ name }) => !hasTag(typed, name)) : [];
  const row = useRef<HTMLDivElement>(null);
  const isSuggesting = shown.length > 0;
  useEffect(() => {
    if (isSuggesting && field.current === document.activeElement)
      row.current?.scrollIntoView({ block: 'nearest' });
  }, [isSuggesting, field]);
  return (
    <div ref={row} className={classes.row}>
      {isSuggesting && (
        <ul className={classes.tags} aria-label={t`Suggestions`}>
          {shown.slice(0, shownAtMost).map(({ name, questionsCount }) => (
            <li key={name}>
              <button
                type="button"
                className={classes.tag}
                title={countText('question', questionsCount, exactCount(questionsCount))}
                onClick={() => onAdd(name)}
              >
                <VisuallyHidden>{t`Add tag ${name}`}</VisuallyHidden>
                <IconPlus size={14} aria-hidden />
                <bdi aria-hidden>{name}</bdi>
                <span className={classes.count} aria-hidden>
                  {shortCount(questionsCount)}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Known tags that begin with what is typed, or have it inside; those that begin first, then those used most. */
function useCompletions(unfinished: string): TagSuggestion[] {
  const [named] = useDebouncedValue(tagKey(unfinished), 200);
  const { data } = useQuery({
    queryKey: ['tag-completions', named],
    queryFn: ({ signal }) => read(api.topics.$get({ query: { q: named } }, { init: { signal } })),
    enabled: named !== '',
    staleTime: 60_000,
    retry: false,
    ...(named === '' ? {} : { placeholderData: keepPreviousData }),
  });
  const begins = (tag: string) => (tagKey(tag).startsWith(tagKey(unfinished)) ? 0 : 1);
  if (unfinished === '' || data === undefined) return [];
  return data.items
    .filter(({ tag }) => tagKey(tag).includes(tagKey(unfinished)))
    .map(({ tag, questionsCount }) => ({ name: tag, questionsCount }))
    .toSorted((a, b) => begins(a.name) - begins(b.name));
}
