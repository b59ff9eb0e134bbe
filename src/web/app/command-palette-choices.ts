import { t } from '@lingui/core/macro';
import type { TablerIcon } from '@tabler/icons-react';
import type { InstantResults } from '#shared/discovery/search.ts';
import { formatShortCount } from '#web/core/format.ts';
import { paths, profilePath, tagPath } from '#web/core/paths.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import type { RecentItem } from '#web/core/recent-items.ts';
import { formatCountOf } from '#web/ui/Count.tsx';
import type { Command } from './command-palette-commands.ts';

export type Choice = {
  key: string;
  kind: 'question' | 'tag' | 'member' | 'command' | 'search';
  label: string;
  /** Defaults to the icon of the kind. */
  Icon?: TablerIcon;
  /** Shown next to the label. */
  note?: string;
  /** The link target; without one, `run` is called. */
  href?: string;
  run?: () => void;
};

export type ChoiceGroup = { title: string; choices: Choice[] };

const maxCommands = 5;

/** The choices of the palette: recent items and all commands, or the matches of the typed text. */
export function listChoices({
  text,
  recent,
  commands,
  found,
}: {
  text: string;
  recent: readonly RecentItem[];
  commands: readonly Command[];
  found: InstantResults | undefined;
}): ChoiceGroup[] {
  const available = commands.map(commandChoice);
  const recentChoices = recent.flatMap((opened): Choice[] => {
    if (opened.kind !== 'command') return [opened];
    return available.filter(({ key }) => key === opened.key);
  });
  const groups =
    text === ''
      ? [
          { title: t`Recently used`, choices: recentChoices },
          { title: t`Commands`, choices: without(available, recentChoices) },
        ]
      : listMatches({ text, recentChoices, available, found });
  return groups.filter(({ choices }) => choices.length > 0);
}

function listMatches({
  text,
  recentChoices,
  available,
  found,
}: {
  text: string;
  recentChoices: readonly Choice[];
  available: readonly Choice[];
  found: InstantResults | undefined;
}): ChoiceGroup[] {
  const recent = filterByLabel(text, recentChoices).slice(0, 3);
  const search = {
    key: 'search',
    kind: 'search',
    label: t`Search for “${text}”`,
    href: `${paths.search}?${new URLSearchParams({ q: text }).toString()}`,
  } as const;
  return [
    { title: t`Recently used`, choices: recent },
    { title: t`Commands`, choices: without(rankByLabel(text, available), recent).slice(0, maxCommands) },
    { title: t`Questions`, choices: without(found?.questions.map(questionChoice) ?? [], recent) },
    { title: t`Topics`, choices: without(found?.tags.map(tagChoice) ?? [], recent) },
    { title: t`Members`, choices: without(found?.members.map(memberChoice) ?? [], recent) },
    { title: t`Search`, choices: [search] },
  ];
}

/** The choices whose label contains the text. A fuzzy match would accept every title for a short text. */
function filterByLabel(text: string, choices: readonly Choice[]): Choice[] {
  const typedText = text.toLowerCase();
  return choices.filter(({ label }) => label.toLowerCase().includes(typedText));
}

/** The choices that fuzzily match the text, best first. */
function rankByLabel(text: string, choices: readonly Choice[]): Choice[] {
  return choices
    .flatMap((choice) => {
      const score = scoreFuzzyMatch(text, choice.label);
      return score === null ? [] : [{ choice, score }];
    })
    .toSorted((a, b) => b.score - a.score)
    .map(({ choice }) => choice);
}

function without(choices: readonly Choice[], others: readonly Choice[]): Choice[] {
  return choices.filter(({ key }) => others.every((other) => other.key !== key));
}

function commandChoice(command: Command): Choice {
  return { ...command, key: `command ${command.id}`, kind: 'command' };
}

function questionChoice({ id, title, answerCount }: InstantResults['questions'][number]): Choice {
  const note = formatCountOf('answer', answerCount, formatShortCount(answerCount));
  return { key: `question ${id}`, kind: 'question', label: title, note, href: questionPath(id, title) };
}

function tagChoice({ tag, questionsCount }: InstantResults['tags'][number]): Choice {
  const note = formatCountOf('question', questionsCount, formatShortCount(questionsCount));
  return { key: `tag ${tag}`, kind: 'tag', label: tag, note, href: tagPath(tag) };
}

function memberChoice({ id, displayName }: InstantResults['members'][number]): Choice {
  return { key: `member ${id}`, kind: 'member', label: displayName, href: profilePath(id) };
}

/**
 * Rates how well the typed letters occur in a label in their order. Higher is better; letters that begin a word or
 * follow each other count most. Null if the label does not have them all.
 */
export function scoreFuzzyMatch(typed: string, label: string): number | null {
  const letters = fold(typed).replaceAll(' ', '');
  const text = fold(label);
  const exactIndex = text.indexOf(fold(typed));
  if (letters !== '' && exactIndex !== -1) return 1000 - exactIndex;
  let [score, at] = [0, 0];
  for (const letter of letters) {
    const start = text.indexOf(` ${letter}`, Math.max(0, at - 1));
    const index = text[at] === letter ? at : start === -1 ? text.indexOf(letter, at) : start + 1;
    if (index === -1) return null;
    if (index === 0 || text[index - 1] === ' ') score += 10;
    else if (index === at) score += 5;
    else score -= 1;
    at = index + letter.length;
  }
  return score;
}

function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}
