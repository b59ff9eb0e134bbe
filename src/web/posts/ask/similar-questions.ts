import { tagKey, truncate } from '#shared/core/text.ts';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { limits } from '#shared/core/limits.ts';
import type { PartialQuestion } from '#shared/discovery/similar.ts';
import { findTagsProblem, parseTags } from '#shared/posts/tags.ts';
import { api, readJson } from '#web/core/api.ts';
import type { AskDraft } from './ask-draft.ts';

/** The pause in typing before a search, in milliseconds. */
const typingPauseMs = 400;

/** How long results stay fresh, in milliseconds. */
const staleTimeMs = 60_000;

/** Questions similar to the draft, searched when typing pauses. The previous results stay until then. */
export function useSimilarQuestions(draft: Pick<AskDraft, 'title' | 'content' | 'tags'>) {
  const [typed] = useDebouncedValue(JSON.stringify(toPartialQuestion(draft)), typingPauseMs);
  return useQuery(similarQuestionsQuery(JSON.parse(typed) as PartialQuestion));
}

function similarQuestionsQuery(typed: PartialQuestion) {
  const blank = typed.title === '';
  return queryOptions({
    queryKey: ['similar', typed],
    queryFn: ({ signal }) => readJson(api.questions.similar.$post({ json: typed }, { init: { signal } })),
    enabled: !blank,
    staleTime: staleTimeMs,
    // The search is optional, so a failure shows no message. The next word searches again.
    retry: false,
    throwOnError: false,
    ...(blank ? {} : { placeholderData: keepPreviousData }),
  });
}

/** The draft within the limits of the server, with valid tags only. */
function toPartialQuestion({
  title,
  content,
  tags,
}: Pick<AskDraft, 'title' | 'content' | 'tags'>): PartialQuestion {
  return {
    title: truncate(title.trim(), limits.title),
    content: truncate(content.trim(), limits.details),
    tags: listValidTags(tags),
  };
}

/** The members who would be notified of a question with these tags. */
export function useAudience(tags: string) {
  const [named] = useDebouncedValue(listValidTags(tags).join(','), typingPauseMs);
  return useQuery({
    queryKey: ['audience', tagKey(named)],
    queryFn: ({ signal }) => readJson(api.audience.$get({ query: { tags: named } }, { init: { signal } })),
    enabled: named !== '',
    staleTime: staleTimeMs,
    retry: false,
    ...(named === '' ? {} : { placeholderData: keepPreviousData }),
  });
}

/** Which tags a question needs, and whether the member may use new ones. */
export const tagRulesQuery = queryOptions({
  queryKey: ['tag-rules'],
  queryFn: ({ signal }) => readJson(api['tag-rules'].$get({}, { init: { signal } })),
  staleTime: staleTimeMs,
  retry: false,
  throwOnError: false,
});

function listValidTags(typed: string): string[] {
  return parseTags(typed)
    .filter((tag) => findTagsProblem([tag]) === null)
    .slice(0, limits.tagsPerQuestion);
}
