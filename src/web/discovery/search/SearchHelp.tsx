import { plural, t } from '@lingui/core/macro';
import { VisuallyHidden } from '#web/ui/VisuallyHidden.tsx';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useImperativeHandle, type KeyboardEvent, type Ref } from 'react';
import { api, readJson } from '#web/core/api.ts';
import { formatShortCount } from '#web/core/format.ts';
import { getModKeyLabel } from '#web/core/keyboard-settings.ts';
import { formatCountOf } from '#web/ui/Count.tsx';
import { useListbox } from '#web/ui/useListbox.ts';
import {
  type OperatorCompletion,
  findCompletion,
  applyCompletion,
  formatTagTerm,
  formatUserTerm,
} from './search-completion.ts';
import { instantSearchQuery } from './search.ts';
import classes from './SearchHelp.module.css';

type Option = { insert: string; label: string; description: string };

/** Lets the field ask whether the list has handled a key. */
export type SearchHelpHandle = { onKeyDown: (event: KeyboardEvent) => boolean };

type Props = {
  id: string;
  text: string;
  caret: number;
  keys: Ref<SearchHelpHandle>;
  onActive: (optionId: string | null) => void;
  onChoose: (chosen: { text: string; caret: number }) => void;
};

/** The help below the search box: the operators while the box is empty, completions while an operator is typed. */
export default function SearchHelp({ id, text, caret, keys, onActive, onChoose }: Props) {
  const typing = findCompletion(text.slice(0, caret));
  const options = useOptions(typing);
  const start = typing?.start ?? caret;
  const list = useListbox({
    id,
    label: t`Search operators`,
    options,
    keyOf: ({ insert }) => insert,
    onChoose: ({ insert }) => onChoose(applyCompletion(text, { caret, start, by: insert })),
    first: false,
  });
  const isOpen = text.trim() === '' || (typing !== null && options.length > 0);
  const activeId = isOpen ? list.activeId : null;
  useImperativeHandle(keys, () => ({ onKeyDown: (event) => isOpen && list.onKeyDown(event) }));
  useEffect(() => onActive(activeId), [activeId, onActive]);
  if (!isOpen) return null;

  return (
    <div className={classes.help}>
      <div {...list.listProps} className={classes.list}>
        {options.map((option) => (
          <div key={option.insert} {...list.optionProps(option)} className={classes.option}>
            <span className={classes.operator} dir="auto">
              {option.label}
            </span>
            <span className={classes.description}>{withoutLineBreaks(option.description)}</span>
          </div>
        ))}
      </div>
      {typing === null && (
        <p className={classes.foot}>
          {t`Search also finds other forms of a word and parts of longer words. Press ${getModKeyLabel()}+K to go to any question, topic, member or command.`}
        </p>
      )}
      <VisuallyHidden component="output">
        {plural(options.length, { one: '# suggestion', other: '# suggestions' })}
      </VisuallyHidden>
    </div>
  );
}

function useOptions(typing: OperatorCompletion | null): Option[] {
  const tags = useTagOptions(typing?.kind === 'tag' ? typing.typed : null);
  const members = useMemberOptions(typing?.kind === 'user' ? typing.typed : null);
  if (typing === null) return operators();
  if (typing.kind === 'tag') return tags;
  if (typing.kind === 'user') return members;
  const typed = typing.typed.toLowerCase();
  return values()[typing.kind].filter(({ label }) => label.slice(typing.kind.length + 1).startsWith(typed));
}

/** The tags with the most questions whose name contains the typed text. */
function useTagOptions(typed: string | null): Option[] {
  const [q] = useDebouncedValue(typed?.trim() ?? '', 120);
  const { data } = useQuery({
    queryKey: ['tags', 'for-search', q],
    queryFn: ({ signal }) => readJson(api.tags.$get({ query: { q, sort: 'popular' } }, { init: { signal } })),
    enabled: typed !== null,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const fitting = (data?.items ?? []).filter(({ name }) => matchesTyped(name, typed));
  return fitting.slice(0, 8).map(({ name, questionsCount }) => ({
    insert: formatTagTerm(name),
    label: `[${name}]`,
    description: formatCountOf('question', questionsCount, formatShortCount(questionsCount)),
  }));
}

function useMemberOptions(typed: string | null): Option[] {
  const [q] = useDebouncedValue(typed?.trim() ?? '', 120);
  const { data } = useQuery({ ...instantSearchQuery(q), enabled: typed !== null && q !== '' });
  const members =
    q === '' ? [] : (data?.members ?? []).filter(({ displayName }) => matchesTyped(displayName, typed));
  const self = { insert: 'user:me', label: 'user:me', description: t`Your posts` };
  return [
    ...('me'.startsWith((typed ?? '').toLowerCase()) ? [self] : []),
    ...members.map((member) => ({
      insert: formatUserTerm(member),
      label: member.displayName,
      description: t`Posts by ${member.displayName}`,
    })),
  ];
}

/** Filters the results of a shorter text, which are shown until the new ones are loaded. */
function matchesTyped(name: string, typed: string | null): boolean {
  return name.toLowerCase().includes((typed ?? '').trim().replace(/^[@#]/u, '').toLowerCase());
}

const operators = (): Option[] => [
  { insert: '[', label: t`[topic]`, description: t`with this tag; combine tags: [rust][async]` },
  { insert: 'user:', label: t`user:name`, description: t`by this member; user:me is you` },
  {
    insert: 'is:',
    label: 'is:unanswered',
    description: t`answered, unanswered, solved, questions or answers`,
  },
  { insert: 'score:', label: 'score:5', description: t`votes: 5 or more; 3..10 is a range` },
  { insert: 'answers:', label: 'answers:0', description: t`at least this many answers; 0 means none` },
  { insert: 'created:', label: 'created:1w', description: t`in the last week; 2024, 2024-05.. or a range` },
  { insert: '"', label: t`"two words"`, description: t`exact phrase` },
  { insert: '-', label: t`-word`, description: t`without this word; also -[topic] and -"two words"` },
];

const values = (): Record<Exclude<OperatorCompletion['kind'], 'tag' | 'user'>, Option[]> => ({
  is: [
    option('is:unanswered', t`without an answer`),
    option('is:solved', t`with an accepted answer`),
    option('is:answered', t`with an answer`),
    option('is:question', t`questions only`),
    option('is:answer', t`answers only`),
  ],
  score: [
    option('score:5', t`5 or more`),
    option('score:3..10', t`from 3 to 10`),
    option('score:..-1', t`below zero`),
  ],
  answers: [
    option('answers:0', t`none`),
    option('answers:1', t`1 or more`),
    option('answers:2..5', t`from 2 to 5`),
  ],
  views: [option('views:100', t`100 or more`), option('views:..10', t`10 or less`)],
  created: [
    option('created:1d', t`in the last day`),
    option('created:1w', t`in the last week`),
    option('created:1y', t`in the last year`),
    option('created:..1y', t`more than a year ago`),
    option('created:2024', t`in that year`),
    option('created:2024-05..2024-08', t`from one month to another`),
  ],
});

/** Prevents a line break between a minus and its operand, with U+2060 (word joiner). */
function withoutLineBreaks(text: string): string {
  return text.replaceAll(/-(?=\S)/g, '-\u2060');
}

function option(insert: string, description: string): Option {
  return { insert, label: insert, description };
}
