import { t } from '@lingui/core/macro';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { countCodePoints } from '#shared/core/text.ts';
import { api, readJson } from '#web/core/api.ts';
import { applyEditToText, type TextEdit } from './text-edits.ts';
import { findLanguages, insertLanguage } from './code-languages.ts';
import { formatMention, type SuggestionTrigger } from './suggestion-triggers.ts';

/** One option of the list. `edit` inserts it into a text. */
export type Suggestion = {
  key: string;
  name: string;
  /** Shown before the name, such as the number of a question. */
  number?: number;
  member?: MentionableMember;
  /** Shown after the name. */
  note?: string;
  edit: (text: string, trigger: SuggestionTrigger) => TextEdit;
};

const maxItems = { members: 8, questions: 6 } as const;

/** In milliseconds. Avoids requests for parts of a word. */
const debounceMs = 150;

/**
 * The suggestions for the text being typed: participants of the thread first, then other members by name; questions by
 * number or words.
 */
export function useSuggestionItems(
  trigger: SuggestionTrigger | null,
  thread: readonly MentionableMember[],
  text: string,
): Suggestion[] {
  const query = trigger?.query.trim() ?? '';
  const [debouncedQuery] = useDebouncedValue(query, debounceMs);
  const others = useMembers(trigger?.kind === 'member' ? debouncedQuery : null);
  const questions = useQuestions(trigger?.kind === 'question' ? debouncedQuery : null, query);
  if (trigger === null) return [];
  switch (trigger.kind) {
    case 'language':
      return findLanguages(query, text).map((language) => ({
        key: language.key,
        name: language.name,
        ...(language.key !== '' && { note: language.key }),
        edit: (text, trigger) => insertLanguage(text, trigger, language),
      }));
    case 'member': {
      const participants = findMembers(thread, query);
      const known = new Set(participants.map(({ id }) => id));
      const elsewhere = findMembers(others, query).filter(({ id }) => !known.has(id));
      return [
        ...participants.map((person) => ({ person, note: t`In this thread` })),
        ...elsewhere.map((person) => ({ person })),
      ]
        .slice(0, maxItems.members)
        .map((match) => ({
          ...match,
          key: String(match.person.id),
          name: match.person.name,
          edit: (text, trigger) => replaceTrigger(text, trigger, formatMention(match.person)),
        }));
    }
    case 'question':
      return questions.map(({ id, title }) => ({
        key: String(id),
        name: title,
        number: id,
        edit: (text, trigger) => replaceTrigger(text, trigger, `#${id} `),
      }));
  }
}

/** @param query null if no member is being typed. */
function useMembers(query: string | null): MentionableMember[] {
  const { data } = useQuery({
    queryKey: ['suggestions', 'members', query],
    // A single Latin letter matches too many members.
    enabled: query !== null && (countCodePoints(query) > 1 || /\p{Lo}/u.test(query)),
    queryFn: async ({ signal }) => {
      const { users } = await readJson(
        api.search.$get({ query: { q: query ?? '', in: 'users' } }, { init: { signal } }),
      );
      return users.map(({ id, displayName, avatar }) => ({ id, name: displayName, avatar }));
    },
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
  return query === null ? [] : (data ?? []);
}

function useQuestions(query: string | null, typed: string): { id: number; title: string }[] {
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['suggestions', 'questions', query],
    enabled: query !== null && (/^\d+$/u.test(query) || countCodePoints(query) > 1 || /\p{Lo}/u.test(query)),
    queryFn: ({ signal }) => findQuestions(query ?? '', signal),
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
  if (query === null || data === undefined) return [];
  // Filters the results of an earlier text, so that Enter cannot select an option that does not match.
  return isPlaceholderData || query !== typed
    ? data.filter((question) => matchesQuestion(question, typed))
    : data;
}

function matchesQuestion({ id, title }: { id: number; title: string }, typed: string): boolean {
  if (/^\d+$/u.test(typed)) return String(id) === typed;
  const plain = title.toLowerCase();
  return typed
    .toLowerCase()
    .split(' ')
    .every((word) => plain.includes(word));
}

async function findQuestions(query: string, signal: AbortSignal) {
  const [numbered, matching] = await Promise.all([
    /^[1-9]\d{0,14}$/u.test(query)
      ? readJson(api['question-titles'].$get({ query: { ids: query } }, { init: { signal } }))
      : { items: [] },
    countCodePoints(query) > 1 || /\p{Lo}/u.test(query)
      ? readJson(api.search.$get({ query: { q: query, in: 'questions' } }, { init: { signal } }))
      : { questions: [] },
  ]);
  const known = new Set(numbered.items.map(({ id }) => id));
  return [...numbered.items, ...matching.questions.filter(({ id }) => !known.has(id))]
    .slice(0, maxItems.questions)
    .map(({ id, title }) => ({ id, title }));
}

/** Followed by exactly one space. */
function replaceTrigger(text: string, { from, to }: SuggestionTrigger, insert: string): TextEdit {
  const edit = { from, to: text[to] === ' ' ? to + 1 : to, insert };
  const caret = applyEditToText(text.slice(0, edit.to), edit).length;
  return { ...edit, select: [caret, caret] };
}

/** A member who can be mentioned. */
export type MentionableMember = { id: number; name: string; avatar: string | null };

/** The members with a name that starts with the typed text, ignoring accents; all members without a text. */
function findMembers(members: readonly MentionableMember[], query: string): MentionableMember[] {
  const typed = normalizeName(query.trim());
  return members.filter(({ name }) => {
    const known = normalizeName(name);
    return known.startsWith(typed) || known.includes(` ${typed}`);
  });
}

function normalizeName(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}
